import { DateTime, Settings } from 'luxon';
import { afterEach, describe, expect, it } from 'vitest';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { createMemoryDataSource } from '#runtime/data-sources/memory/create-memory-data-source';
import type { ConditionTree } from '#runtime/query/condition-tree';
import { recordPredicate } from '#runtime/query/evaluate-condition';
import { rewriteLeaf } from '#runtime/query/operator-equivalence';
import type { Operator } from '#runtime/query/operators';
import { openMemory } from './open-memory.ts';
import { openSqliteTables } from './open-sqlite.ts';
import { idsWhere, type OpenTables, withTables } from './opened.ts';
import type { NeutralTable } from './tables.ts';

const people: NeutralTable = {
  name: 'people',
  columns: [
    { name: 'id', type: 'integer' },
    { name: 'name', type: 'text' },
  ],
  primaryKey: ['id'],
  rows: [
    { id: 1, name: 'a' },
    { id: 2, name: 'abx' },
    { id: 3, name: null },
    { id: 4, name: '50%_off' },
    { id: 5, name: '50 x off' },
  ],
};

const orders: NeutralTable = {
  name: 'orders',
  columns: [
    { name: 'id', type: 'integer' },
    { name: 'person_id', type: 'integer' },
    { name: 'n', type: 'integer' },
    { name: 'total', type: { decimal: [12, 2] } },
    { name: 'at', type: 'instant' },
  ],
  primaryKey: ['id'],
  foreignKeys: [{ columns: ['person_id'], table: 'people', foreignColumns: ['id'] }],
  rows: [
    { id: 1, person_id: 1, n: 5, total: '0.10', at: '2024-05-14T22:00:00.000Z' },
    { id: 2, person_id: 3, n: 6, total: '0.20', at: '2024-12-29T15:00:00.000Z' },
    { id: 3, person_id: null, n: null, total: null, at: '2024-06-30T14:59:59.999Z' },
  ],
};

const tables = [people, orders];
const engines: readonly (readonly [string, OpenTables])[] = [
  ['memory', openMemory],
  ['SQLite', openSqliteTables],
];

describe.each(engines)('edge cases on %s', (_name, open) => {
  const ids = (collection: string, where: ConditionTree, context?: { timezone: string }) => {
    let found: unknown[] = [];
    return withTables(open, tables, async (dataSource) => {
      found = await idsWhere(dataSource, collection, where, context);
    }).then(() => found);
  };
  const using = (work: (dataSource: DataSource) => Promise<void>) => withTables(open, tables, work);

  afterEach(() => {
    Settings.now = () => Date.now();
  });

  it('Today includes an instant equal to local midnight', async () => {
    Settings.now = () => Date.parse('2024-05-15T10:00:00Z');
    expect(await ids('orders', { field: 'at', operator: 'Today' }, { timezone: 'Europe/Paris' })).toEqual([1]);
  });

  it('Contains takes "50%_off" literally', async () => {
    expect(await ids('people', { field: 'name', operator: 'Contains', value: '50%_off' })).toEqual([4]);
  });

  it('NotEqual 5 holds for null', async () => {
    expect(await ids('orders', { field: 'n', operator: 'NotEqual', value: 5 })).toEqual([2, 3]);
  });

  it('Missing through a relation holds for a null column and for no partner', async () => {
    expect(await ids('orders', { field: 'person:name', operator: 'Missing' })).toEqual([2, 3]);
  });

  it('groups by the key of a relation keep a null key', () =>
    using(async (dataSource) => {
      const aggregation = { operation: 'Count', groups: [{ field: 'person:id' }] } as const;
      expect(await dataSource.aggregate({ collection: 'orders', aggregation }, { timezone: 'UTC' })).toEqual([
        { value: 1, group: { 'person:id': null } },
        { value: 1, group: { 'person:id': 1 } },
        { value: 1, group: { 'person:id': 3 } },
      ]);
    }));

  it('groups by a foreign key and by the key it leads to are both there', () =>
    using(async (dataSource) => {
      const aggregation = { operation: 'Count', groups: [{ field: 'person_id' }, { field: 'person:id' }] } as const;
      const rows = await dataSource.aggregate({ collection: 'orders', aggregation }, { timezone: 'UTC' });
      expect(rows.map(({ group }) => group)).toEqual([
        { person_id: null, 'person:id': null },
        { person_id: 1, 'person:id': 1 },
        { person_id: 3, 'person:id': 3 },
      ]);
    }));

  it('a bulk creation may give a foreign key for the second record only', () =>
    using(async (dataSource) => {
      const created = await dataSource.create('orders', [{ id: 10 }, { id: 11, person_id: 1 }], { timezone: 'UTC' });
      expect(created.map((record) => record['person_id'])).toEqual([null, 1]);
    }));

  it('a change filtered on what it changes reaches all of its fields', () =>
    using(async (dataSource) => {
      const where = { field: 'n', operator: 'Equal', value: 5 } as const;
      expect(await dataSource.update('orders', where, { n: 50, total: '5.00' }, { timezone: 'UTC' })).toBe(1);
      const [record] = await dataSource.list({ collection: 'orders', projection: ['n', 'total'] }, { timezone: 'UTC' });
      expect(record).toEqual({ n: 50, total: '5.00' });
    }));

  it('weeks and quarters have the same first days for a caller in Tokyo', () =>
    using(async (dataSource) => {
      const labels = async (bucket: 'Week' | 'Quarter') => {
        const aggregation = { operation: 'Min', field: 'id', groups: [{ field: 'at', bucket }] } as const;
        const rows = await dataSource.aggregate({ collection: 'orders', aggregation }, { timezone: 'Asia/Tokyo' });
        return rows.map(({ value, group }) => [value, group['at']]);
      };
      expect(await labels('Week')).toEqual([
        [3, '2024-06-24'],
        [2, '2024-12-30'],
        [1, '2024-05-13'],
      ]);
      expect(await labels('Quarter')).toEqual([
        [2, '2024-10-01'],
        [1, '2024-04-01'],
      ]);
    }));

  it('Count of a field leaves nulls out, Sum of decimals keeps their digits', () =>
    using(async (dataSource) => {
      const value = async (operation: 'Count' | 'Sum', field: string) => {
        const aggregation = { operation, field, groups: [] };
        const [row] = await dataSource.aggregate({ collection: 'orders', aggregation }, { timezone: 'UTC' });
        return row?.value;
      };
      expect([await value('Count', 'n'), await value('Sum', 'total')]).toEqual([2, '0.30']);
    }));
});

describe('edge cases of operators said by a regular expression', () => {
  const { collections } = createMemoryDataSource([
    { name: 'x', records: [], schema: { columns: [{ name: 'name', type: 'String' }], primaryKey: [] } },
  ]);
  const now = DateTime.utc();
  const texts = ['a', 'ab', 'c', 'abx', 'xc', 'A', 'a\n'];

  function matching(leaf: { operator: Operator; value: unknown }, isNullable = true): unknown[] {
    const supported = new Set<Operator>(isNullable ? ['Match', 'Missing'] : ['Match']);
    const tree = rewriteLeaf({ field: 'name', ...leaf }, supported, { type: 'String', isNullable, now });
    if (!tree) throw new Error('The operator cannot be said.');
    const column = collections[0]?.fields.get('name');
    if (column?.kind !== 'column') throw new Error('There is no column.');
    const values = isNullable ? [...texts, null] : texts;
    return values.filter((name) => recordPredicate(tree, () => column, now)({ name }));
  }

  it('NotIn ["a"] excludes "a", and nothing else', () => {
    expect(matching({ operator: 'NotIn', value: ['a'] })).toEqual(['ab', 'c', 'abx', 'xc', 'A', 'a\n', null]);
    expect(matching({ operator: 'NotIn', value: ['a'] }, false)).toEqual(['ab', 'c', 'abx', 'xc', 'A', 'a\n']);
  });

  it('lengths that no text has find nothing, or every text', () => {
    expect(matching({ operator: 'LongerThan', value: 1e21 })).toEqual([]);
    expect(matching({ operator: 'LongerThan', value: -1e21 })).toEqual(texts);
    expect(matching({ operator: 'ShorterThan', value: 1e21 })).toEqual(texts);
  });

  it('In ["ab","c"] does not find "abx"', () => {
    expect(matching({ operator: 'In', value: ['ab', 'c'] })).toEqual(['ab', 'c']);
  });

  it('a global expression gives the same answer twice in a row', () => {
    const column = collections[0]?.fields.get('name');
    if (column?.kind !== 'column') throw new Error('There is no column.');
    const holds = recordPredicate({ field: 'name', operator: 'Match', value: /b/g }, () => column, now);
    expect([holds({ name: 'ab' }), holds({ name: 'ab' }), holds({ name: 'ab' })]).toEqual([true, true, true]);
  });
});
