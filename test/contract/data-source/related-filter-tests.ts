import { describe, expect, it } from 'vitest';
import type { ConditionTree } from '#runtime/query/condition-tree';
import type { Operator } from '#runtime/query/operators';
import { idsWhere, type OpenTables, openedForAll, utc, withTables } from './opened.ts';
import type { NeutralColumn, NeutralTable } from './tables.ts';

type Case = readonly [collection: string, field: string, operator: Operator, value: unknown, ids: readonly number[]];

const id: NeutralColumn = { name: 'id', type: 'integer' };
const reference = (name: string, table: string) => ({ columns: [name], table, foreignColumns: ['id'] });

/** Ada buys much, Bob has one order, Cy none; Ada leads Bob, Bob leads Cy. An order has no customer, a line no product. */
const tables: readonly NeutralTable[] = [
  {
    name: 'countries',
    columns: [id, { name: 'name', type: 'text' }],
    primaryKey: ['id'],
    rows: [
      { id: 1, name: 'France' },
      { id: 2, name: 'Japan' },
    ],
  },
  {
    name: 'customers',
    columns: [
      id,
      { name: 'name', type: 'text' },
      { name: 'country_id', type: 'integer' },
      { name: 'leader_id', type: 'integer' },
    ],
    primaryKey: ['id'],
    foreignKeys: [reference('country_id', 'countries'), reference('leader_id', 'customers')],
    rows: [
      { id: 1, name: 'Ada', country_id: 1 },
      { id: 2, name: 'Bob', country_id: 2, leader_id: 1 },
      { id: 3, name: 'Cy', leader_id: 2 },
    ],
  },
  {
    name: 'orders',
    columns: [
      id,
      { name: 'status', type: 'text' },
      { name: 'total', type: { decimal: [12, 2] } },
      { name: 'customer_id', type: 'integer' },
    ],
    primaryKey: ['id'],
    foreignKeys: [reference('customer_id', 'customers')],
    rows: [
      { id: 1, status: 'paid', total: '10.00', customer_id: 1 },
      { id: 2, status: 'open', total: '90.00', customer_id: 1 },
      { id: 3, status: null, total: '20.00', customer_id: 1 },
      { id: 4, status: 'paid', total: '30.00', customer_id: 2 },
      { id: 5, status: 'lost', total: '40.00', customer_id: null },
    ],
  },
  {
    name: 'products',
    columns: [id, { name: 'label', type: 'text' }],
    primaryKey: ['id'],
    rows: [
      { id: 1, label: 'pen' },
      { id: 2, label: 'ink' },
      { id: 3, label: 'pad' },
    ],
  },
  {
    name: 'lines',
    columns: [id, { name: 'order_id', type: 'integer' }, { name: 'product_id', type: 'integer' }],
    primaryKey: ['id'],
    foreignKeys: [reference('order_id', 'orders'), reference('product_id', 'products')],
    rows: [
      { id: 1, order_id: 1, product_id: 1 },
      { id: 2, order_id: 1, product_id: 2 },
      { id: 3, order_id: 4, product_id: 3 },
      { id: 4, order_id: 5, product_id: null },
    ],
  },
  {
    name: 'tags',
    columns: [id, { name: 'name', type: 'text' }],
    primaryKey: ['id'],
    rows: [
      { id: 1, name: 'red' },
      { id: 2, name: 'blue' },
      { id: 3, name: null },
    ],
  },
  {
    name: 'product_tags',
    columns: [
      { name: 'product_id', type: 'integer' },
      { name: 'tag_id', type: 'integer' },
    ],
    primaryKey: ['product_id', 'tag_id'],
    foreignKeys: [reference('product_id', 'products'), reference('tag_id', 'tags')],
    rows: [
      { product_id: 1, tag_id: 1 },
      { product_id: 1, tag_id: 2 },
      { product_id: 2, tag_id: 2 },
      { product_id: 2, tag_id: 3 },
    ],
  },
];

const cases: readonly Case[] = [
  ['customers', 'orders:status', 'Equal', 'paid', [1, 2]],
  ['customers', 'orders:status', 'NotEqual', 'paid', [1]],
  ['customers', 'orders:status', 'NotEqual', 'open', [1, 2]],
  ['customers', 'orders:status', 'NotIn', ['open', 'lost', null], [1, 2]],
  ['customers', 'orders:status', 'NotContains', 'pa', [1]],
  ['customers', 'orders:status', 'Missing', null, [1]],
  ['customers', 'orders:status', 'Blank', null, [1]],
  ['customers', 'orders:status', 'Present', null, [1, 2]],
  ['customers', 'orders:status', 'Equal', null, [1]],
  ['customers', 'orders:id', 'Missing', null, []],
  ['customers', 'orders:total', 'GreaterThan', '25', [1, 2]],
  ['customers', 'orders:lines:product:label', 'Equal', 'ink', [1]],
  ['customers', 'orders:lines:product:tags:name', 'Equal', 'blue', [1]],
  ['customers', 'orders:lines:product:tags:name', 'Missing', null, [1]],
  ['customers', 'orders:customer:country:name', 'Equal', 'Japan', [2]],
  ['orders', 'customer:orders:status', 'Equal', 'open', [1, 2, 3]],
  // To nobody's orders there is no path, so that none of them is missing.
  ['orders', 'customer:orders:status', 'Missing', null, [1, 2, 3]],
  ['orders', 'customer:country:customers:orders:status', 'NotEqual', 'x', [1, 2, 3, 4]],
  // A line is there, and without a product it has no label: the rule of to-one relations, seen from the line.
  ['orders', 'lines:product:label', 'Missing', null, [5]],
  ['orders', 'lines:product:label', 'NotEqual', 'pen', [1, 4, 5]],
  ['orders', 'lines:product:tags:name', 'NotEqual', 'red', [1]],
  ['products', 'tags:name', 'Equal', 'blue', [1, 2]],
  ['products', 'tags:name', 'NotEqual', 'red', [1, 2]],
  ['products', 'tags:name', 'Missing', null, [2]],
  ['products', 'tags:products:tags:name', 'Equal', 'red', [1, 2]],
  ['tags', 'products:lines:order:customer:name', 'Equal', 'Ada', [1, 2, 3]],
  ['countries', 'customers:leader:name', 'Equal', 'Ada', [2]],
];

const leaf = (field: string, operator: Operator, value: unknown): ConditionTree => ({ field, operator, value });
const both = (...conditions: readonly ConditionTree[]): ConditionTree => ({ aggregator: 'And', conditions });
const either = (...conditions: readonly ConditionTree[]): ConditionTree => ({ aggregator: 'Or', conditions });

export function describeRelatedFilters(open: OpenTables): void {
  describe('conditions on related records', () => {
    const source = openedForAll(open, tables);

    it.each(cases)('%s where some %s %s %o', async (collection, field, operator, value, ids) => {
      expect(await idsWhere(source(), collection, { field, operator, value })).toEqual(ids);
    });

    it('follow a relation of a table to itself, both ways', async () => {
      const led = [
        ...(source()
          .collections.find(({ name }) => name === 'customers')
          ?.fields.values() ?? []),
      ].find((field) => field.kind === 'OneToMany' && field.foreignCollection === 'customers')?.name;
      expect(await idsWhere(source(), 'customers', leaf(`${led}:name`, 'Equal', 'Cy'))).toEqual([2]);
      expect(await idsWhere(source(), 'customers', leaf(`${led}:${led}:name`, 'Present', null))).toEqual([1]);
      expect(await idsWhere(source(), 'customers', leaf(`leader:${led}:name`, 'Equal', 'Bob'))).toEqual([2]);
    });

    it('are met by any of them: two joined by "and" perhaps by two records', async () => {
      const paid = leaf('orders:status', 'Equal', 'paid');
      const large = leaf('orders:total', 'GreaterThan', '50');
      expect(await idsWhere(source(), 'customers', both(paid, large))).toEqual([1]);
      expect(await idsWhere(source(), 'customers', either(large, leaf('orders:status', 'Equal', 'lost')))).toEqual([1]);
      const french = leaf('country:name', 'Equal', 'France');
      const large30 = leaf('orders:total', 'Equal', '30');
      const pens = leaf('orders:lines:product:label', 'Equal', 'pad');
      expect(await idsWhere(source(), 'customers', either(french, large30, both(paid, pens), large))).toEqual([1, 2]);
      expect(await idsWhere(source(), 'customers', both(french, either(pens, large)))).toEqual([1]);
    });

    it('leave sorting, pages and aggregates as they are without them', async () => {
      const where = leaf('orders:status', 'Present', null);
      const projection = ['id', 'country:name'];
      const sort = [{ field: 'country:name', ascending: false }];
      const page = { skip: 1, limit: 5 };
      expect(await source().list({ collection: 'customers', projection, where, sort, page }, utc)).toEqual([
        { id: 1, country: { name: 'France' } },
      ]);
      const aggregation = {
        operation: 'Sum',
        field: 'total',
        groups: [{ field: 'customer:name' }],
      } as const;
      const tagged = leaf('customer:orders:lines:product:tags:name', 'Present', null);
      expect(await source().aggregate({ collection: 'orders', where: tagged, aggregation }, utc)).toEqual([
        { value: '120.00', group: { 'customer:name': 'Ada' } },
      ]);
    });

    it('cannot be projected, sorted or grouped by', async () => {
      const [dataSource, field, bug] = [source(), 'orders:status', { code: 'INTERNAL_BUG' }];
      const list = { collection: 'customers', projection: ['id'] };
      await expect(dataSource.list({ ...list, projection: [field] }, utc)).rejects.toMatchObject(bug);
      await expect(dataSource.list({ ...list, sort: [{ field, ascending: true }] }, utc)).rejects.toMatchObject(bug);
      const aggregation = { operation: 'Count', groups: [{ field }] } as const;
      await expect(dataSource.aggregate({ collection: 'customers', aggregation }, utc)).rejects.toMatchObject(bug);
    });

    it('choose what is changed, also where they read the table that changes', async () => {
      await withTables(open, tables, async (dataSource) => {
        const patch = { status: 'seen' };
        const ofAda = leaf('customer:orders:status', 'Equal', 'open');
        // The first change takes away what the condition looks for; it was looked for before.
        expect(await dataSource.update('orders', ofAda, patch, utc)).toBe(3);
        expect(await idsWhere(dataSource, 'orders', leaf('status', 'Equal', 'seen'))).toEqual([1, 2, 3]);
        expect(await dataSource.update('orders', ofAda, patch, utc)).toBe(0);
        const mixed = both(leaf('customer:name', 'Equal', 'Bob'), leaf('lines:product:label', 'Equal', 'pad'));
        expect(await dataSource.update('orders', mixed, { status: 'mixed' }, utc)).toBe(1);
        expect(await idsWhere(dataSource, 'orders', leaf('status', 'Equal', 'mixed'))).toEqual([4]);
      });
    });

    it('choose what is deleted, by keys of several columns as well', async () => {
      await withTables(open, tables, async (dataSource) => {
        const withPens = leaf('tag:products:label', 'Equal', 'pen');
        expect(await dataSource.delete('product_tags', withPens, utc)).toBe(3);
        expect(await dataSource.count('product_tags', undefined, utc)).toBe(1);
        const siblings = leaf('order:lines:product:label', 'Equal', 'pen');
        expect(await dataSource.delete('lines', siblings, utc)).toBe(2);
        expect(await idsWhere(dataSource, 'lines', undefined)).toEqual([3, 4]);
        const mixed = both(leaf('customer:name', 'Equal', 'Ada'), leaf('customer:orders:status', 'Missing', null));
        expect(await dataSource.delete('orders', mixed, utc)).toBe(3);
        expect(await idsWhere(dataSource, 'orders', undefined)).toEqual([4, 5]);
      });
    });
  });
}
