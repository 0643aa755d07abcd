import { describe, expect, it } from 'vitest';
import type { ListQuery } from '#runtime/query/record-query';
import { type EngineLimits, featureOf, type OpenTables, openedForAll, utc } from './opened.ts';
import type { NeutralTable } from './tables.ts';

const oddNames = ['select', 'Two Words', `qu"o'te\`s`, 'back\\slash', 'snow☃', '__proto__', 'UPPER', 'a.b', 'per%cent'];

const texts = ['z', 'Z', 'é', 'e\u0301', '', 'a', 'aa', 'B', '\ufb00', '😀', '\uffee', ' ', '\u212a', 'ΑΣ'];

const tables: readonly NeutralTable[] = [
  {
    name: 'people',
    columns: [
      { name: 'id', type: 'integer' },
      { name: 'name', type: 'text' },
      { name: 'boss_id', type: 'integer' },
    ],
    primaryKey: ['id'],
    foreignKeys: [{ columns: ['boss_id'], table: 'people', foreignColumns: ['id'] }],
    rows: [
      { id: 1, name: 'Zoë', boss_id: null },
      { id: 2, name: 'Bob', boss_id: 1 },
      { id: 3, name: null, boss_id: 2 },
    ],
  },
  {
    name: 'passports',
    columns: [
      { name: 'id', type: 'integer' },
      { name: 'person_id', type: 'integer' },
    ],
    primaryKey: ['id'],
    uniqueKeys: [['person_id']],
    foreignKeys: [{ columns: ['person_id'], table: 'people', foreignColumns: ['id'] }],
    rows: [{ id: 10, person_id: 1 }],
  },
  {
    name: 'lines',
    columns: [
      { name: 'order_id', type: 'integer' },
      { name: 'sku', type: 'text' },
      { name: 'person_id', type: 'integer' },
    ],
    primaryKey: ['order_id', 'sku'],
    foreignKeys: [{ columns: ['person_id'], table: 'people', foreignColumns: ['id'] }],
    rows: [
      { order_id: 1, sku: 'x', person_id: 2 },
      { order_id: 1, sku: 'X', person_id: null },
      { order_id: 2, sku: 'x', person_id: 3 },
    ],
  },
  {
    name: 'parcels',
    columns: [
      { name: 'id', type: 'integer' },
      { name: 'order_id', type: 'integer' },
      { name: 'sku', type: 'text' },
    ],
    primaryKey: ['id'],
    foreignKeys: [{ columns: ['order_id', 'sku'], table: 'lines', foreignColumns: ['order_id', 'sku'] }],
    rows: [
      { id: 1, order_id: 1, sku: 'x' },
      { id: 2, order_id: 1, sku: 'X' },
      { id: 3, order_id: 2, sku: null },
    ],
  },
  {
    name: `Odd "tab'le" \\ name☃`,
    columns: [{ name: 'id', type: 'integer' }, ...oddNames.map((name) => ({ name, type: 'text' }) as const)],
    primaryKey: ['id'],
    rows: [{ id: 1, ...Object.fromEntries(oddNames.map((name) => [name, `value of ${name}`])) }],
  },
  {
    name: 'sorted',
    columns: [
      { name: 'id', type: 'integer' },
      { name: 't', type: 'text' },
      { name: 'n', type: 'integer' },
      { name: 'b', type: 'boolean' },
      { name: 'd', type: { decimal: [12, 2] } },
      { name: 'big', type: 'bigint' },
      { name: 'at', type: 'instant' },
      { name: 'e', type: { enum: ['medium', 'small', 'large'] } },
    ],
    primaryKey: ['id'],
    rows: [
      ...texts.map((t, index) => ({ id: index + 1, t })),
      { id: 20, n: 2, b: true, d: '9.00', big: '9007199254740993', at: '2024-01-01T00:00:00.000Z', e: 'small' },
      { id: 21, n: -1, b: false, d: '10.00', big: '9007199254740992', at: '2023-12-31T23:59:59.999Z', e: 'medium' },
      { id: 22, n: 10, b: true, d: '-10.00', big: '-1', at: '1969-12-31T23:59:59.000Z', e: 'large' },
    ],
  },
];

/** Lists, projections, relations, order and pages. */
export function describeReading(open: OpenTables, limits: EngineLimits = {}): void {
  describe('reading', () => {
    const dataSource = openedForAll(open, tables);
    const byId = [{ field: 'id', ascending: true }];

    it('gives just the columns asked for', async () => {
      const records = await dataSource().list({ collection: 'people', projection: ['name'], sort: byId }, utc);
      expect(records).toEqual([{ name: 'Zoë' }, { name: 'Bob' }, { name: null }]);
    });

    it('nests to-one relations at any depth, those without a partner null', async () => {
      const projection = ['id', 'boss:name', 'boss:boss:name', 'passport:id'];
      expect(await dataSource().list({ collection: 'people', projection, sort: byId }, utc)).toEqual([
        { id: 1, boss: null, passport: { id: 10 } },
        { id: 2, boss: { name: 'Zoë', boss: null }, passport: null },
        { id: 3, boss: { name: 'Bob', boss: { name: 'Zoë' } }, passport: null },
      ]);
    });

    it('distinguishes a partner with a null column from no partner', async () => {
      const projection = ['sku', 'person:name'];
      const sort = [
        { field: 'order_id', ascending: true },
        { field: 'sku', ascending: true },
      ];
      expect(await dataSource().list({ collection: 'lines', projection, sort }, utc)).toEqual([
        { sku: 'X', person: null },
        { sku: 'x', person: { name: 'Bob' } },
        { sku: 'x', person: { name: null } },
      ]);
      expect(await dataSource().count('lines', { field: 'person:name', operator: 'Missing' }, utc)).toBe(2);
      expect(await dataSource().count('lines', { field: 'person:name', operator: 'NotEqual', value: 'Bob' }, utc)).toBe(
        2,
      );
    });

    it('joins by composite keys, which differ in case', async () => {
      const projection = ['id', 'line:sku', 'line:person:name'];
      expect(await dataSource().list({ collection: 'parcels', projection, sort: byId }, utc)).toEqual([
        { id: 1, line: { sku: 'x', person: { name: 'Bob' } } },
        { id: 2, line: { sku: 'X', person: null } },
        { id: 3, line: null },
      ]);
    });

    it('filters and sorts through relations', async () => {
      const where = { field: 'line:person:boss:name', operator: 'Equal', value: 'Zoë' } as const;
      expect(await dataSource().list({ collection: 'parcels', projection: ['id'], where }, utc)).toEqual([{ id: 1 }]);
      const sort = [{ field: 'boss:name', ascending: false }, ...byId];
      const records = await dataSource().list({ collection: 'people', projection: ['id'], sort }, utc);
      expect(records.map((record) => record['id'])).toEqual([2, 3, 1]);
    });

    it('takes any name, and any value, for what it is', async () => {
      const [collection] = dataSource().collections.filter(({ name }) => name.startsWith('Odd'));
      const name = collection?.name ?? '';
      const [record] = await dataSource().list({ collection: name, projection: oddNames }, utc);
      expect(Object.entries(record ?? {})).toEqual(oddNames.map((column) => [column, `value of ${column}`]));
      for (const field of oddNames) {
        const where = { field, operator: 'NotEqual', value: `'"; drop table "people"; --\\` } as const;
        expect(await dataSource().count(name, where, utc)).toBe(1);
      }
    });

    const order = featureOf(limits, 'text order');
    order.it.each([true, false])(`sorts texts by code point (ascending: %s)${order.note}`, async (ascending) => {
      const where = { field: 't', operator: 'NotEqual', value: null } as const;
      const sort = [{ field: 't', ascending }];
      const records = await dataSource().list({ collection: 'sorted', projection: ['t'], where, sort }, utc);
      const expected = texts.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      expect(records.map((record) => record['t'])).toEqual(ascending ? expected : expected.reverse());
    });

    it.each([
      ['n', [21, 20, 22]],
      ['d', [22, 20, 21]],
      ['big', [22, 21, 20]],
      ['at', [22, 21, 20]],
      ['e', [22, 21, 20]],
      ['b', [21, 20, 22]],
    ])('sorts %s with nulls first when ascending, last when descending', async (field, ids) => {
      const where = { field: 'id', operator: 'In', value: [1, ...ids] } as const;
      const read = async (ascending: boolean) => {
        const sort = [{ field, ascending }, ...byId];
        const records = await dataSource().list({ collection: 'sorted', projection: ['id'], where, sort }, utc);
        return records.map((record) => record['id']);
      };
      expect(await read(true)).toEqual([1, ...ids]);
      expect(await read(false)).toEqual([...(field === 'b' ? [20, 22, 21] : ids.toReversed()), 1]);
    });

    it('pages, beyond the end as well', async () => {
      const read = (skip: number, limit: number) =>
        dataSource().list({ collection: 'people', projection: ['id'], sort: byId, page: { skip, limit } }, utc);
      expect(await read(0, 2)).toEqual([{ id: 1 }, { id: 2 }]);
      expect(await read(2, 2)).toEqual([{ id: 3 }]);
      expect(await read(3, 2)).toEqual([]);
      expect(await read(0, 0)).toEqual([]);
      expect(await read(1, 1_000)).toEqual([{ id: 2 }, { id: 3 }]);
    });

    it('pages of records with partners hold the same records as the whole list, in the same order', async () => {
      const last = (field: string) => ({ field, ascending: false });
      const queries: ListQuery[] = [
        { collection: 'people', projection: ['id', 'boss:name', 'boss:boss:name'], sort: [last('name')] },
        { collection: 'people', projection: ['boss:id', 'passport:id'], sort: [last('id')] },
        { collection: 'people', projection: ['id', 'boss:name'], sort: [last('boss:name'), ...byId] },
        {
          collection: 'people',
          projection: ['id', 'boss:name'],
          where: { field: 'boss:name', operator: 'Equal', value: 'Zoë' },
        },
        { collection: 'lines', projection: ['sku', 'person:name'], sort: [last('sku'), last('order_id')] },
        { collection: 'parcels', projection: ['line:person:boss:name'], sort: byId },
      ];
      for (const query of queries) {
        const whole = await dataSource().list(query, utc);
        expect(whole.length).toBeGreaterThan(0);
        for (const [skip, limit] of [
          [0, 1],
          [0, 2],
          [1, 2],
          [2, 20],
        ] as const) {
          const page = await dataSource().list({ ...query, page: { skip, limit } }, utc);
          expect(page).toEqual(whole.slice(skip, skip + limit));
        }
      }
    });

    it('counts without a condition', async () => {
      expect(await dataSource().count('people', undefined, utc)).toBe(3);
    });

    it('refuses a query whose client has gone', async () => {
      const context = { ...utc, signal: AbortSignal.abort() };
      const interrupted = { code: 'INTERRUPTED' };
      await expect(dataSource().list({ collection: 'people', projection: ['id'] }, context)).rejects.toMatchObject(
        interrupted,
      );
      await expect(dataSource().count('people', undefined, context)).rejects.toMatchObject(interrupted);
      await expect(dataSource().delete('people', undefined, context)).rejects.toMatchObject(interrupted);
      expect(await dataSource().count('people', undefined, utc)).toBe(3);
    });

    it('has a fingerprint that stays while nothing changes', async () => {
      expect(await dataSource().fingerprint()).toBe(await dataSource().fingerprint());
    });
  });
}
