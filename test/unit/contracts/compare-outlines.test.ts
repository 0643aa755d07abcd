import { describe, expect, it } from 'vitest';
import { compareOutlines, type OutlinedCollection, type OutlinedPart } from '#contracts/compare-outlines';

type Facts = OutlinedPart['facts'];

const field = (name: string, facts: Facts = { type: 'String' }): OutlinedPart => ({ kind: 'field', name, facts });
const orders = (...parts: readonly OutlinedPart[]): readonly OutlinedCollection[] => [
  { name: 'orders', facts: { readOnly: false }, parts },
];

/** The changes of one field, as `breaking` or not, with what is reported. */
function changeOf(before: Facts, after: Facts) {
  return compareOutlines(orders(field('status', before)), orders(field('status', after))).map(
    ({ isBreaking, facts }) => [isBreaking, ...facts] as const,
  );
}

describe('the difference of two schemas', () => {
  it('is empty for the same schema in another order', () => {
    expect(compareOutlines(orders(field('a'), field('b')), orders(field('b'), field('a')))).toEqual([]);
  });

  it('names what was added and removed, and takes a removal for breaking', () => {
    const [before, after] = [orders(field('old')), [...orders(field('new')), { name: 'cars', facts: {}, parts: [] }]];
    expect(compareOutlines(before, after)).toEqual([
      { change: 'added', collection: 'cars', part: null, facts: [], isBreaking: false },
      { change: 'added', collection: 'orders', part: { kind: 'field', name: 'new' }, facts: [], isBreaking: false },
      { change: 'removed', collection: 'orders', part: { kind: 'field', name: 'old' }, facts: [], isBreaking: true },
    ]);
    expect(compareOutlines(before, [])).toMatchObject([{ change: 'removed', part: null, isBreaking: true }]);
  });

  it('takes a relation for another thing than a field of its name', () => {
    const relation: OutlinedPart = { kind: 'relation', name: 'owner', facts: { to: 'people' } };
    expect(compareOutlines(orders(field('owner')), orders(relation)).map(({ change }) => change)).toEqual([
      'removed',
      'added',
    ]);
  });

  it('takes a new field for breaking when it has to be given', () => {
    const added = orders(field('code', { type: 'String', required: true }));
    expect(compareOutlines(orders(), added)).toMatchObject([
      { change: 'added', facts: ['required'], isBreaking: true },
    ]);
  });

  it.each<[string, Facts, Facts, boolean]>([
    ['another type', { type: 'String' }, { type: 'Number' }, true],
    ['required now', { required: false }, { required: true }, true],
    ['not required any more', { required: true }, { required: false }, false],
    ['read-only now', { readOnly: false }, { readOnly: true }, true],
    ['writable now', { readOnly: true }, { readOnly: false }, false],
    ['not filterable any more', { filterable: true }, { filterable: false }, true],
    ['sortable now', { sortable: false }, { sortable: true }, false],
    ['one value less', { values: ['a', 'b'] }, { values: ['b'] }, true],
    ['one value more', { values: ['a'] }, { values: ['a', 'b'] }, false],
    ['one more input that has to be given', { 'required inputs': [] }, { 'required inputs': ['reason'] }, true],
    ['an input of another type', { inputs: ['amount: Number'] }, { inputs: ['amount: String', 'why: String'] }, true],
    ['one more input', { inputs: ['amount: Number'] }, { inputs: ['amount: Number', 'amounts: String'] }, false],
    ['nullable now', { nullable: false }, { nullable: true }, false],
  ])('says of a part that is %s whether that is breaking', (_what, before, after, isBreaking) => {
    expect(changeOf(before, after)).toEqual([[isBreaking, expect.stringContaining(' → ')]]);
  });

  it('tells what changed', () => {
    expect(changeOf({ type: 'String', values: ['b', 'a'] }, { type: 'Enum', values: ['a'] })).toEqual([
      [true, 'type: String → Enum', 'values: a, b → a'],
    ]);
  });
});
