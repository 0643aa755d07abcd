import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isStaticForm, staticFormFiller } from '#runtime/actions/check-form-values';
import type { FormInput } from '#runtime/actions/evaluated-form';
import { type Element, evaluate } from '../../../helpers/evaluated-form.ts';

const field = (more: object = {}) => ({ type: 'String', label: 'a', ...more });
const layout = (component: string, more: object = {}) => ({ type: 'Layout', component, ...more });

describe('a static form', () => {
  it.each<[string, unknown, boolean]>([
    ['none', undefined, true],
    ['plain fields', [field({ defaultValue: 'x' })], true],
    ['a function for a form', () => [], false],
    ['a function deep inside', [layout('Row', { fields: [field({ description: () => 'x' })] })], false],
    ['a condition', [field({ if: () => true })], false],
    ['a promise', [field({ description: Promise.resolve('x') })], false],
    ['a file to begin with', [field({ type: 'File', defaultValue: { name: 'a' } })], false],
    ['a list of files to begin with', [field({ type: 'FileList', defaultValue: [] })], false],
    ['a date to begin with', [field({ type: 'Date', defaultValue: new Date(0) })], true],
  ])('is one of %s or not', (_what, form, expected) => {
    expect(isStaticForm(form)).toBe(expected);
  });
});

const input = (sent: object, decode: FormInput['decode'] = (_field, value) => value) => ({
  sent: new Map(Object.entries(sent)),
  decode,
});

const fill = (form: readonly object[], ...given: Parameters<typeof input>) => {
  const filled = staticFormFiller(form)?.(input(...given));
  if (!filled) throw new Error('The form is not static.');
  return filled;
};

/** A value that a definition or a client may give; `undefined` for none. */
const anyValue = fc.option(fc.jsonValue({ maxDepth: 2 }), { nil: undefined });
/** Ids that objects have members of, too. */
const anyId = fc.constantFrom('a', 'b', 'c', 'constructor', '__proto__');
const anyField = fc.record(
  {
    type: fc.constant('Json'),
    label: fc.constant('Label'),
    id: anyId,
    value: anyValue,
    defaultValue: anyValue,
    isReadOnly: fc.boolean(),
  },
  { requiredKeys: ['type', 'label', 'id'] },
);
const anyForm = fc.uniqueArray(anyField, { selector: ({ id }) => id }).chain((fields) =>
  fc.nat(fields.length).map((count) => {
    const row = { type: 'Layout', component: 'Row', fields: fields.slice(0, count) };
    return [row, ...fields.slice(count)] as unknown as Element[];
  }),
);

describe('a static form that is filled in', () => {
  it('has the values that its evaluation gives', async () => {
    const anySent = fc.dictionary(anyId, anyValue);
    await fc.assert(
      fc.asyncProperty(anyForm, anySent, async (form, sent) => {
        const [evaluated, filled] = [await evaluate(form, { sent }), fill(form, sent)];
        expect(filled.values).toEqual(evaluated.values);
        expect(filled.knownIds).toEqual(evaluated.knownIds);
        expect(filled.fields.map(({ id, properties }) => ({ id, properties }))).toEqual(
          evaluated.fields.map(({ id, properties }) => ({ id, properties })),
        );
        for (const [index, each] of filled.fields.entries()) {
          const same = evaluated.fields[index];
          if (!same) throw new Error('The evaluation has fewer fields.');
          expect(await filled.expectedValue(each)).toEqual(await evaluated.expectedValue(same));
        }
      }),
    );
  });

  it('decodes the values of the fields that take no plain JSON, with their collection', () => {
    const form = [field(), field({ type: 'Collection', label: 'owner', collectionName: 'people' })];
    const decode: FormInput['decode'] = ({ label }, sent, collection) => [label, sent, collection];
    expect(fill(form, { a: 'x', owner: '4' }, decode).values).toEqual({ a: 'x', owner: ['owner', '4', 'people'] });
    expect(fill(form, { a: 'x' }, decode).values).toEqual({ a: 'x' });
  });

  it('gives the code of each run a list and an object of its own', () => {
    const form = [field({ type: 'Json', defaultValue: [{ sizes: [1] }] })];
    const { values } = fill(form, {});
    (values['a'] as { sizes: number[] }[])[0]?.sizes.push(2);
    expect(fill(form, {}).values).toEqual({ a: [{ sizes: [1] }] });
  });

  it('is not for a form that has to be evaluated', () => {
    const form = [field({ value: () => 'x' })];
    expect(staticFormFiller(form)).toBeUndefined();
    expect(staticFormFiller(form)).toBeUndefined();
    expect(staticFormFiller(() => [])).toBeUndefined();
    expect(staticFormFiller(undefined)).toBeUndefined();
  });
});
