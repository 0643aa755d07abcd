import { describe, expect, it } from 'vitest';
import { createRecordBatch } from '#runtime/actions/action-call';
import { isEvaluatedField } from '#runtime/actions/evaluated-form';
import { type Element, evaluate, type Form } from '../../../helpers/evaluated-form.ts';

const idsOf = (form: Awaited<ReturnType<typeof evaluate>>) => form.fields.map(({ id }) => id);
const text = (label: string, more: object = {}) => ({ type: 'String', label, ...more }) as Element;
const fieldOf = (form: Awaited<ReturnType<typeof evaluate>>, id: string) =>
  form.fields.find((field) => field.id === id);

/** Everything in it is frozen: to change anything of it throws. */
function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

describe('the elements of a form', () => {
  it('come from a function of the context', async () => {
    const form = await evaluate(async ({ formValues }) => [text('Kind'), text(`About ${formValues['Kind']}`)], {
      sent: { Kind: 'tea' },
    });
    expect(idsOf(form)).toEqual(['Kind', 'About tea']);
    expect(fieldOf(form, 'Kind')?.isWatched).toBe(true);
  });

  it('have the label as id where none is given', async () => {
    const form = await evaluate([text('Reason'), text('Other', { id: 'other' })], { sent: { other: 'x' } });
    expect(idsOf(form)).toEqual(['Reason', 'other']);
    expect(form.values).toEqual({ other: 'x' });
  });

  it.each<[string, object, string]>([
    ['values that are a text', { type: 'Enum', enumValues: () => 'red' }, '"enumValues" that are not a list of texts'],
    ['values that are numbers', { type: 'Enum', enumValues: () => [1] }, '"enumValues" that are not a list of texts'],
    ['options that are an object', { widget: 'Dropdown', options: () => ({ a: 1 }) }, '"options" that are not a list'],
    ['an unknown base', { type: 'Number', widget: 'CurrencyInput', base: () => 'cent' }, 'the unknown base "cent"'],
    [
      'an unknown currency',
      { type: 'Number', widget: 'CurrencyInput', currency: async () => '€' },
      'the unknown currency "€"',
    ],
  ])('are refused where a function gave %s', async (_what, more, problem) => {
    await expect(evaluate([text('Colour', more)])).rejects.toMatchObject({
      code: 'CUSTOMIZATION_FAILED',
      message: expect.stringContaining(`"Colour" has ${problem}`),
    });
  });

  it.each<[string, Element[], string]>([
    ['two fields with one id', [text('a'), text('b', { id: 'a' })], 'two fields have the id "a"'],
    ['a page beside a field', [{ type: 'Layout', component: 'Page', elements: [] }, text('a')], 'pages stand beside'],
  ])('are refused where a function made %s', async (_what, elements, problem) => {
    await expect(evaluate(() => elements)).rejects.toMatchObject({
      code: 'CUSTOMIZATION_FAILED',
      message: expect.stringContaining(problem),
    });
  });

  it('keep rows, pages, separators and HTML blocks, without rows and pages that are left empty', async () => {
    const form = await evaluate([
      {
        type: 'Layout',
        component: 'Page',
        nextButtonLabel: 'On',
        elements: [
          { type: 'Layout', component: 'HtmlBlock', content: async () => '<b>hi</b>' },
          {
            type: 'Layout',
            component: 'Row',
            fields: [
              { type: 'String', label: 'a' },
              { type: 'Number', label: 'b' },
            ],
          },
          { type: 'Layout', component: 'Separator' },
          { type: 'Layout', component: 'Row', fields: [{ type: 'String', label: 'c', if: () => false }] },
        ],
      },
      { type: 'Layout', component: 'Page', elements: [{ type: 'String', label: 'd', if: () => false }] },
    ]);
    expect(idsOf(form)).toEqual(['a', 'b']);
    expect(form.nodes).toHaveLength(1);
    const [page] = form.nodes;
    if (!page || isEvaluatedField(page)) throw new Error('The form has no page.');
    expect(page.children.map(({ element }) => element['component'])).toEqual(['HtmlBlock', 'Row', 'Separator']);
    expect(page.children[0]?.properties['content']).toBe('<b>hi</b>');
  });

  it('are hidden with the element that they are in', async () => {
    const form = await evaluate([
      {
        type: 'Layout',
        component: 'Row',
        if: () => false,
        fields: [{ type: 'String', label: 'a', defaultValue: 'x' }],
      },
      text('b', { if: ({ formValues }: { formValues: object }) => 'a' in formValues }),
    ]);
    expect(idsOf(form)).toEqual([]);
    expect(form.values).toEqual({});
  });

  it('leave the definition unchanged, which serves many calls', async () => {
    const definition = frozen<Element[]>([
      text('a', { defaultValue: () => 'x', description: () => 'y', if: () => true }),
      { type: 'Layout', component: 'Row', fields: [{ type: 'Number', label: 'b', value: () => 1 }] },
    ]);
    const [first, second] = [await evaluate(definition), await evaluate(definition, { sent: { a: 'z' } })];
    expect(first.values).toEqual({ a: 'x', b: 1 });
    expect(second.values).toEqual({ a: 'z', b: 1 });
  });

  it('leave what a function returns unchanged, which may be shared', async () => {
    const shared = frozen<Element[]>([text('a', { defaultValue: () => 'x' })]);
    expect((await evaluate(() => shared)).values).toEqual({ a: 'x' });
    expect((await evaluate(() => shared)).values).toEqual({ a: 'x' });
  });
});

describe('defaults', () => {
  it('fill in what was not sent, and nothing else', async () => {
    const form = [text('a', { defaultValue: 'x' }), text('b', { defaultValue: async () => 'y' })];
    expect((await evaluate(form)).values).toEqual({ a: 'x', b: 'y' });
    expect((await evaluate(form, { sent: { a: null, b: 'z' } })).values).toEqual({ a: null, b: 'z' });
  });

  it('are seen by the functions of every other field, whatever the order', async () => {
    const form = await evaluate([
      text('b', { defaultValue: ({ formValues }: { formValues: { a: string } }) => `${formValues.a}!` }),
      text('a', { defaultValue: async () => 'x' }),
    ]);
    expect(form.values).toEqual({ a: 'x', b: 'x!' });
  });

  it('do not leak into the values from a hidden field', async () => {
    const seen: unknown[] = [];
    const form = await evaluate([
      text('secret', { if: () => false, defaultValue: 'leaked' }),
      text('b', {
        description: ({ formValues }: { formValues: Record<string, unknown> }) => {
          seen.push(formValues['secret']);
          return 'x';
        },
      }),
    ]);
    expect(form.values).toEqual({});
    expect(seen).toEqual([undefined]);
  });
});

describe('conditions', () => {
  it.each([
    [true, ['a']],
    ['yes', ['a']],
    [1, ['a']],
    [false, []],
    [undefined, []],
    [null, []],
    [0, []],
    ['', []],
  ])('show a field only when they give something truthy: %j', async (answer, shown) => {
    expect(idsOf(await evaluate([text('a', { if: async () => answer })]))).toEqual(shown);
  });

  it('see the defaults and the computed values of other fields, hidden ones excepted', async () => {
    type Context = { formValues: Record<string, unknown> };
    const form = await evaluate([
      text('third', { if: ({ formValues }: Context) => formValues['second'] === 2 }),
      text('first', { defaultValue: 'x' }),
      { type: 'Number', label: 'second', if: ({ formValues }) => formValues['first'] === 'x', value: () => 2 },
      text('never', { if: ({ formValues }: Context) => formValues['hidden'] === 'h' }),
      text('hidden', { if: () => false, defaultValue: 'h' }),
    ]);
    expect(idsOf(form)).toEqual(['third', 'first', 'second']);
  });

  it('leave out what was sent for a field that is not shown', async () => {
    const form = await evaluate([text('a', { if: () => false }), text('b')], { sent: { a: '1', b: '2' } });
    expect(form.values).toEqual({ b: '2' });
  });
});

describe('computed values', () => {
  it('replace what was entered, and keep it where they give undefined', async () => {
    const form = [
      text('a', { value: () => 'mine' }),
      text('b', { value: () => undefined }),
      text('c', { value: () => null }),
    ];
    expect((await evaluate(form, { sent: { a: '1', b: '2', c: '3' } })).values).toEqual({ a: 'mine', b: '2', c: null });
  });

  it('are seen by other fields, whatever the order', async () => {
    type Context = { formValues: { net: number; vat: number } };
    const form = await evaluate(
      [
        {
          type: 'Number',
          label: 'gross',
          value: ({ formValues }) => Number(formValues['net']) + Number(formValues['vat']),
        },
        { type: 'Number', label: 'vat', value: async ({ formValues }) => Number(formValues['net']) / 5 },
        { type: 'Number', label: 'net' },
        text('note', { description: ({ formValues }: Context) => `VAT ${formValues.vat}` }),
      ],
      { sent: { net: 100 } },
    );
    expect(form.values).toEqual({ net: 100, vat: 20, gross: 120 });
    expect(fieldOf(form, 'note')?.properties['description']).toBe('VAT 20');
  });

  it('start from what was entered each time they are asked', async () => {
    const form = await evaluate(
      [
        {
          type: 'Number',
          label: 'sum',
          value: ({ formValues }) => Number(formValues['sum']) + Number(formValues['step']),
        },
        { type: 'Number', label: 'step', value: () => 5 },
      ],
      { sent: { sum: 1, step: 2 } },
    );
    expect(form.values).toEqual({ sum: 6, step: 5 });
  });

  it('are not asked again for their own answer, even where they read everything', async () => {
    let asked = 0;
    const form = await evaluate([
      text('a', { value: ({ formValues }: { formValues: object }) => `${Object.keys(formValues).length} ${++asked}` }),
    ]);
    expect(form.values).toEqual({ a: '0 1' });
  });

  it('are an error that names them where they compute one another without end', async () => {
    const next =
      (id: string) =>
      ({ formValues }: { formValues: Record<string, unknown> }) =>
        `${formValues[id]}+`;
    const form = [text('a', { value: next('b') }), text('b', { value: next('a') })];
    await expect(evaluate(form)).rejects.toMatchObject({
      code: 'CUSTOMIZATION_FAILED',
      message: expect.stringContaining('"a", "b"'),
    });
  });

  it('are copied for each call where the definition gives them', async () => {
    const form: Form = [
      { type: 'StringList', label: 'tags', defaultValue: ['a'] },
      { type: 'Json', label: 'options', value: { deep: { list: [1] } } },
    ];
    const first = (await evaluate(form)).values as { tags: string[]; options: { deep: { list: number[] } } };
    first.tags.push('b');
    first.options.deep.list.push(2);
    expect((await evaluate(form)).values).toEqual({ tags: ['a'], options: { deep: { list: [1] } } });
  });

  it('are an error that names the fields where those hide themselves without end', async () => {
    const isEmpty = ({ formValues }: { formValues: Record<string, unknown> }) => formValues['a'] === undefined;
    const form = [text('a', { defaultValue: 'x', if: isEmpty }), text('b')];
    await expect(evaluate(form)).rejects.toMatchObject({
      code: 'CUSTOMIZATION_FAILED',
      message: expect.stringContaining('The fields "a" of'),
    });
  });
});

describe('dynamic properties', () => {
  it('are all asked for at the same time, with the context', async () => {
    let [running, most] = [0, 0];
    const slow = (answer: unknown) => async (context: { formValues: Record<string, unknown> }) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return `${context.formValues['a']} ${answer}`;
    };
    const form = await evaluate([
      text('a', { defaultValue: 'x', description: slow('d'), placeholder: slow('p'), widget: 'TextInput' }),
      text('b', { isRequired: slow('r'), value: slow('v') }),
    ]);
    expect(most).toBe(4);
    expect(fieldOf(form, 'a')?.properties).toMatchObject({ description: 'x d', placeholder: 'x p' });
    expect(fieldOf(form, 'b')?.properties).toMatchObject({ isRequired: 'x r' });
  });

  it('may throw while the values that they read are not settled', async () => {
    const form = await evaluate([
      text('a', { description: ({ formValues }: { formValues: { b: string } }) => formValues.b.toUpperCase() }),
      text('b', { defaultValue: async () => 'x' }),
    ]);
    expect(fieldOf(form, 'a')?.properties['description']).toBe('X');
  });

  it('fail the form where they throw in the end, apart from those of hidden fields', async () => {
    const boom = () => {
      throw new Error('boom');
    };
    await expect(evaluate([text('a', { description: boom, if: () => false })])).resolves.toBeDefined();
    await expect(evaluate([text('a', { description: boom })])).rejects.toMatchObject({
      code: 'CUSTOMIZATION_FAILED',
      message: 'The form of the action "Refund" of "orders" threw: boom',
    });
    await expect(evaluate([text('a', { if: boom })])).rejects.toThrow('boom');
  });

  it('may be promises', async () => {
    const form = await evaluate([text('a', { description: Promise.resolve('later') })]);
    expect(fieldOf(form, 'a')?.properties['description']).toBe('later');
  });
});

describe('a search in the options of a field', () => {
  const asked: unknown[] = [];
  async function anyName(_context: unknown, wanted: string | undefined) {
    asked.push(wanted);
    return [`${wanted}!`];
  }
  const dropdown = (label: string, more: object = {}) =>
    text(label, { widget: 'Dropdown', search: 'dynamic', options: anyName, ...more });

  it('reaches the options function whatever it is called', async () => {
    asked.length = 0;
    const form = await evaluate([dropdown('a')], { search: { fieldId: 'a', text: 'par' } });
    expect(asked).toEqual(['par']);
    expect(fieldOf(form, 'a')?.properties['options']).toEqual(['par!']);
  });

  it('is undefined when nobody searches, and never reaches another field', async () => {
    asked.length = 0;
    await evaluate([dropdown('a')]);
    expect(asked).toEqual([undefined]);
    asked.length = 0;
    await evaluate([dropdown('a'), dropdown('b')], { search: { fieldId: 'b', text: 'x' } });
    expect(asked).toEqual(['x']);
  });

  it('gives that field only, out of the page or row it is in', async () => {
    const page = (...elements: object[]) => ({ type: 'Layout', component: 'Page', elements }) as Element;
    const form = await evaluate([page(dropdown('a')), page(text('b', { defaultValue: 'x' }))], {
      search: { fieldId: 'a', text: 'q' },
    });
    expect(form.nodes.map((node) => isEvaluatedField(node) && node.id)).toEqual(['a']);
    expect((await evaluate([text('b')], { search: { fieldId: 'gone', text: 'q' } })).nodes).toEqual([]);
  });
});

describe('the list of watched fields', () => {
  type Context = { formValues: Record<string, unknown>; hasFieldChanged(id: string): boolean };
  const watched = async (description: (context: Context) => unknown, sent = { a: '1', b: '2', c: '3' }) => {
    const form = await evaluate([text('a'), text('b'), text('c', { description })], { sent });
    return form.fields.filter(({ isWatched }) => isWatched).map(({ id }) => id);
  };

  it('has every field that a function reads', async () => {
    expect(await watched(({ formValues }) => formValues['a'])).toEqual(['a']);
  });

  it('has every field that is asked about with "in"', async () => {
    expect(await watched(({ formValues }) => 'b' in formValues)).toEqual(['b']);
  });

  it('has every field that hasFieldChanged names', async () => {
    expect(await watched((context) => context.hasFieldChanged('b'))).toEqual(['b']);
  });

  it('has all fields where the values are spread or listed', async () => {
    expect(await watched(({ formValues }) => ({ ...formValues }))).toEqual(['a', 'b', 'c']);
    expect(await watched(({ formValues }) => Object.keys(formValues))).toEqual(['a', 'b', 'c']);
    expect(await watched(({ formValues }) => JSON.stringify(formValues))).toEqual(['a', 'b', 'c']);
  });

  it('has a field without a value too where the values are listed', async () => {
    const form = await evaluate([
      text('a'),
      text('b', { description: ({ formValues }: { formValues: object }) => Object.keys(formValues) }),
    ]);
    expect(fieldOf(form, 'a')?.isWatched).toBe(true);
  });

  it('is empty where no function looks', async () => {
    expect(await watched(() => 'x')).toEqual([]);
  });

  it('has fields that a function reads after a pause', async () => {
    const later = async ({ formValues }: Context) => {
      await new Promise((resolve) => setImmediate(resolve));
      return formValues['b'];
    };
    expect(await watched(later)).toEqual(['b']);
  });
});

describe('the context of a form', () => {
  it('tells whether a field was the one that was edited', async () => {
    const form = [
      text('a'),
      text('b', { value: (context: { hasFieldChanged(id: string): boolean }) => `${context.hasFieldChanged('a')}` }),
    ];
    expect((await evaluate(form, { changedField: 'a' })).values).toMatchObject({ b: 'true' });
    expect((await evaluate(form, { changedField: 'b' })).values).toMatchObject({ b: 'false' });
    expect((await evaluate(form)).values).toMatchObject({ b: 'false' });
  });

  it.each<[string, (values: Record<string, unknown>) => unknown]>([
    ['assigning', (values) => Object.assign(values, { a: 1 })],
    ['deleting', (values) => Reflect.deleteProperty(values, 'a')],
    ['defining', (values) => Object.defineProperty(values, 'a', { value: 1 })],
  ])('refuses %s a value, and says that they are read-only', async (_what, change) => {
    const form = [
      text('a', { description: ({ formValues }: { formValues: Record<string, unknown> }) => change(formValues) }),
    ];
    await expect(evaluate(form, { sent: { a: 'x' } })).rejects.toThrow('formValues is read-only: "a" cannot be set');
  });

  it('asks the form function once where it has not looked at a key or a file', async () => {
    let asked = 0;
    await evaluate(
      () => {
        asked++;
        return [{ type: 'Collection', label: 'who', collectionName: 'people' }];
      },
      { sent: { who: '7' }, decode: (_field, value) => [Number(value)] },
    );
    expect(asked).toBe(1);
  });

  it('reads records once for all that is asked at the same time', async () => {
    const asked: (readonly string[])[] = [];
    const getRecords = createRecordBatch(
      async (fields) => {
        asked.push(fields);
        return [Object.fromEntries(fields.map((field) => [field, `the ${field}`]))];
      },
      () => undefined,
    );
    const read = (field: string) => async (context: { getRecords: typeof getRecords }) =>
      (await context.getRecords([field]))[0]?.[field];
    const form = await evaluate(
      [text('a', { defaultValue: read('ref'), description: read('note') }), text('b', { value: read('total') })],
      { call: { getRecords } },
    );
    expect(form.values).toEqual({ a: 'the ref', b: 'the total' });
    expect(asked.map((fields) => fields.toSorted())).toEqual([['note', 'ref', 'total']]);
  });

  it('asks the form function again where it has seen packed keys or files', async () => {
    const seen: unknown[] = [];
    const form = await evaluate(
      ({ formValues }) => {
        seen.push(formValues['who']);
        return [{ type: 'Collection', label: 'who', collectionName: 'people' }];
      },
      { sent: { who: '7' }, decode: (_field, value) => [Number(value)] },
    );
    expect(seen).toEqual(['7', [7]]);
    expect(form.values).toEqual({ who: [7] });
  });
});
