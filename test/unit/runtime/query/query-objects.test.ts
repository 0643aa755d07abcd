import { describe, expect, it } from 'vitest';
import { createMemoryDataSource } from '#runtime/data-sources/memory/create-memory-data-source';
import type { CollectionSchema } from '#runtime/query/collection-schema';
import type { ConditionTree } from '#runtime/query/condition-tree';
import { ConditionTreeBranch, ConditionTreeFactory, ConditionTreeLeaf } from '#runtime/query/condition-tree-factory';
import { Filter } from '#runtime/query/filter';
import { inverseCondition } from '#runtime/query/inverse-condition';
import { Projection } from '#runtime/query/projection';

const leaf = (field: string, value: unknown): ConditionTree => new ConditionTreeLeaf(field, 'Equal', value);
const [a, b, c] = [leaf('a', 1), leaf('b', 2), leaf('c', 3)];

const { collections } = createMemoryDataSource([
  { name: 'teams', records: [], schema: { columns: [{ name: 'code', type: 'String' }], primaryKey: ['code'] } },
  {
    name: 'people',
    records: [],
    schema: {
      columns: [
        { name: 'id', type: 'Number' },
        { name: 'team_code', type: 'String' },
      ],
      primaryKey: ['id'],
      foreignKeys: [{ columns: ['team_code'], foreignTable: 'teams', foreignColumns: ['code'] }],
    },
  },
  {
    name: 'lines',
    records: [],
    schema: {
      columns: [
        { name: 'order', type: 'Number' },
        { name: 'sku', type: 'String' },
        { name: 'person_id', type: 'Number' },
      ],
      primaryKey: ['order', 'sku'],
      foreignKeys: [{ columns: ['person_id'], foreignTable: 'people', foreignColumns: ['id'] }],
    },
  },
  { name: 'log', records: [], schema: { columns: [{ name: 'text', type: 'String' }], primaryKey: [] } },
]);
function collection(name: string): CollectionSchema {
  const found = collections.find((candidate) => candidate.name === name);
  if (!found) throw new Error(`There is no ${name}.`);
  return found;
}

describe('ConditionTreeFactory', () => {
  it('joins trees flat, and leaves out those that are absent', () => {
    const { intersect, union, matchNone } = ConditionTreeFactory;
    expect(intersect([])).toBeUndefined();
    expect(intersect([null, undefined])).toBeUndefined();
    expect(intersect([a, null])).toBe(a);
    expect(intersect([a, new ConditionTreeBranch('And', [b, new ConditionTreeBranch('And', [c])])])).toEqual(
      new ConditionTreeBranch('And', [a, b, c]),
    );
    expect(intersect([a, union([b, c])])).toEqual({ aggregator: 'And', conditions: [a, union([b, c])] });
    expect(union([null, b])).toBe(b);
    expect(union([])).toEqual(matchNone);
    expect(intersect([a, matchNone])).toEqual(new ConditionTreeBranch('And', [a, matchNone]));
  });

  it('reads plain objects, operators in either spelling, a branch of one as that one', () => {
    const plain = {
      aggregator: 'or',
      conditions: [
        { field: 'a', operator: 'Equal', value: 1 },
        { aggregator: 'And', conditions: [{ field: 'rel:b', operator: 'i_contains', value: 'x' }] },
        { field: 'c', operator: 'Missing' },
      ],
    };
    expect(ConditionTreeFactory.fromPlainObject(plain)).toEqual(
      new ConditionTreeBranch('Or', [
        a,
        new ConditionTreeLeaf('rel:b', 'IContains', 'x'),
        new ConditionTreeLeaf('c', 'Missing'),
      ]),
    );
  });

  it.each([
    [null],
    ['x'],
    [{}],
    [{ field: 'a', operator: 'Nope' }],
    [{ field: 1, operator: 'Equal' }],
    [{ aggregator: 'Xor', conditions: [] }],
    [{ aggregator: 'And', conditions: {} }],
  ])('refuses %j', (plain) => {
    expect(() => ConditionTreeFactory.fromPlainObject(plain)).toThrow(
      expect.objectContaining({ code: 'REQUEST_INVALID' }),
    );
  });

  it('matches keys: one, several, composite ones by groups, none', () => {
    const { matchIds, matchNone } = ConditionTreeFactory;
    expect(matchIds(collection('people'), [[1]])).toEqual(new ConditionTreeLeaf('id', 'Equal', 1));
    expect(matchIds(collection('people'), [[1], [2], [1]])).toEqual(new ConditionTreeLeaf('id', 'In', [1, 2]));
    expect(matchIds(collection('people'), [])).toEqual(matchNone);
    const lines = matchIds(collection('lines'), [
      [1, 'x'],
      [2, 'x'],
      [1, 'y'],
    ]);
    expect(lines).toEqual({
      aggregator: 'Or',
      conditions: [
        { aggregator: 'And', conditions: [leaf('order', 1), { field: 'sku', operator: 'In', value: ['x', 'y'] }] },
        { aggregator: 'And', conditions: [leaf('order', 2), leaf('sku', 'x')] },
      ],
    });
    expect(() => matchIds(collection('log'), [['x']])).toThrow(expect.objectContaining({ code: 'REQUEST_INVALID' }));
  });
});

describe('inverseCondition', () => {
  it('turns branches and operators over', () => {
    expect(inverseCondition(new ConditionTreeBranch('And', [a, new ConditionTreeLeaf('b', 'Missing')]))).toEqual({
      aggregator: 'Or',
      conditions: [
        { field: 'a', operator: 'NotEqual', value: 1 },
        { field: 'b', operator: 'NotEqual', value: null },
      ],
    });
    expect(inverseCondition({ field: 'a', operator: 'IncludesAll', value: [1, 2] })).toEqual({
      aggregator: 'Or',
      conditions: [
        { field: 'a', operator: 'IncludesNone', value: [1] },
        { field: 'a', operator: 'IncludesNone', value: [2] },
      ],
    });
  });

  it.each(['LessThan', 'Like', 'Match', 'Today', 'Before', 'LongerThan'] as const)('refuses %s', (operator) => {
    expect(() => inverseCondition({ field: 'a', operator, value: 1 })).toThrow(
      expect.objectContaining({ code: 'REQUEST_INVALID' }),
    );
  });
});

describe('Filter', () => {
  it('keeps its parts, and copies with others', () => {
    const filter = new Filter({ conditionTree: a, search: 'x', searchExtended: true, segment: 's' });
    expect(filter).toMatchObject({ conditionTree: a, search: 'x', searchExtended: true, segment: 's' });
    expect(filter.isNestable).toBe(false);
    const other = filter.override({ search: undefined, segment: undefined });
    expect(other.isNestable).toBe(true);
    expect(other.nest('rel').conditionTree).toEqual({ field: 'rel:a', operator: 'Equal', value: 1 });
    expect(filter.search).toBe('x');
    expect(new Filter().nest('rel').conditionTree).toBeUndefined();
  });
});

describe('Projection', () => {
  it('is an ordered set of paths, by relation', () => {
    const projection = new Projection('id', 'a:x', 'ab:y', 'id', 'a:b:z');
    expect([...projection]).toEqual(['id', 'a:x', 'ab:y', 'a:b:z']);
    expect(projection.columns).toEqual(['id']);
    expect([...projection.relations].map(([name, behind]) => [name, behind.paths])).toEqual([
      ['a', ['x', 'b:z']],
      ['ab', ['y']],
    ]);
    expect(projection.unnest('a').paths).toEqual(['x', 'b:z']);
    expect(projection.nest('r').paths).toEqual(['r:id', 'r:a:x', 'r:ab:y', 'r:a:b:z']);
  });

  it('brings the keys of every collection it goes through', () => {
    const projection = new Projection('sku', 'person:team:code');
    expect(projection.withPks(collection('lines'), collection).paths).toEqual([
      'sku',
      'person:team:code',
      'order',
      'person:id',
    ]);
  });
});
