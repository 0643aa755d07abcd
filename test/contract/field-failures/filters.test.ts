/*
 * Failure                                   | Shown by
 * ------------------------------------------|---------------------------------------------------------------------
 * A write that reaches more than its filter | data-source suite "reaches exactly the records that the condition names"
 *                                           | and "takes exactly the records that the condition names, …"
 * A scope that does not fit                 | unit/runtime/records/request/record-service "adds the scope of the caller, …"
 * A policy of several roles                 | unit/runtime/permissions/create-authoriser
 */
import { expect, it } from 'vitest';
import type { ConditionTree } from '#runtime/query/condition-tree';
import { isMysqlFamily } from '../data-source/ddl.ts';
import { describeOnEngines } from './engines.ts';
import { context, serve, valuesOf } from './requests.ts';

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** 250 customers, every other one of them gold; two orders each, all orders with two tags. */
const shop = [
  'create table customers (id int primary key, tier varchar(9))',
  'create table orders (id int primary key, customer_id int references customers (id))',
  'create table tags (id int primary key, name varchar(9))',
  'create table order_tags (order_id int references orders (id), tag_id int references tags (id), primary key (order_id, tag_id))',
  'create table passports (id int primary key, customer_id int unique references customers (id))',
  `insert into customers values ${range(1, 250).map((id) => `(${id}, '${id % 2 ? 'gold' : 'none'}')`)}`,
  `insert into orders values ${range(1, 500).map((id) => `(${id}, ${1 + (id % 250)})`)}, (501, null)`,
  "insert into tags values (1, 'a'), (2, 'b')",
  `insert into order_tags values ${range(1, 500).map((id) => `(${id}, 1), (${id}, 2)`)}`,
  'insert into passports values (1, 1), (2, null), (3, null)',
];
const gold: ConditionTree = { field: 'customer:tier', operator: 'Equal', value: 'gold' };

describeOnEngines('Filters', (open, dialect) => {
  it('filters through relations: neither counts nor pages are inflated', async () => {
    const service = serve((await open(shop)).dataSource);
    expect(await service.count({ collection: 'orders', where: gold }, context)).toBe(250);
    const ids: unknown[] = [];
    for (let skip = 0; skip < 250; skip += 100) {
      const sort = [{ field: 'customer:tier', ascending: true }];
      const page = { skip, limit: 100 };
      const projection = ['id', 'customer:tier'];
      const records = await service.list({ collection: 'orders', where: gold, projection, sort, page }, context);
      ids.push(...records.map(({ id }) => id));
    }
    expect(ids).toHaveLength(250);
    expect(new Set(ids).size).toBe(250);
    const tagged = { field: 'order:customer:tier', operator: 'Equal', value: 'gold' } as const;
    expect(await service.count({ collection: 'order_tags', where: tagged }, context)).toBe(500);
    // A unique key may be null many times, which leads to nobody.
    const undocumented = { field: 'passport:id', operator: 'Missing' } as const;
    expect(await service.count({ collection: 'customers', where: undocumented }, context)).toBe(249);
  });

  it('amounts without measure: refused as invalid or no match, never a failure of the database', async () => {
    const { dataSource } = await open([
      `create table t (id int primary key, at ${dialect === 'postgres' ? 'timestamptz' : 'datetime'}, day date, name varchar(9))`,
      "insert into t (id, name) values (1, 'x')",
    ]);
    const service = serve(dataSource);
    for (const amount of [1e9, -1e9, 1e300]) {
      for (const field of ['at', 'day']) {
        const where = { field, operator: 'PreviousXDays', value: amount } as const;
        const failure = service.count({ collection: 't', where }, context);
        await expect(failure, `${field} ${amount}`).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
      }
    }
    const thousandYears = { field: 'at', operator: 'PreviousXDays', value: 365_250 } as const;
    expect(await service.count({ collection: 't', where: thousandYears }, context)).toBe(0);
    for (const [operator, value, count] of [
      ['LongerThan', 1e21, 0],
      ['LongerThan', -1e21, 1],
      ['ShorterThan', 1e21, 1],
    ] as const)
      expect(await service.count({ collection: 't', where: { field: 'name', operator, value } }, context)).toBe(count);
  });

  it('a many-to-many filter: neither counts nor pages are inflated', async () => {
    const service = serve((await open(shop)).dataSource);
    // Every order has two tags and both of them are meant; the one without a customer has none.
    const tagged = { field: 'tags:name', operator: 'In', value: ['a', 'b'] } as const;
    expect(await service.count({ collection: 'orders', where: tagged }, context)).toBe(500);
    const ids: unknown[] = [];
    for (let skip = 0; skip < 600; skip += 200) {
      const page = { skip, limit: 200 };
      const sort = [{ field: 'customer:tier', ascending: true }];
      const records = await service.list(
        { collection: 'orders', projection: ['id'], where: tagged, sort, page },
        context,
      );
      ids.push(...records.map(({ id }) => id));
    }
    expect(ids).toHaveLength(500);
    expect(new Set(ids).size).toBe(500);
    const buyers = { field: 'orders:tags:name', operator: 'Equal', value: 'a' } as const;
    expect(await service.count({ collection: 'customers', where: buyers }, context)).toBe(250);
    const untagged = { field: 'tags:id', operator: 'Missing' } as const;
    expect(await service.count({ collection: 'orders', where: untagged }, context)).toBe(0);
    for (const query of [{ projection: ['tags:name'] }, { sort: [{ field: 'tags:name', ascending: true }] }]) {
      await expect(service.list({ collection: 'orders', ...query }, context)).rejects.toMatchObject({
        code: 'REQUEST_INVALID',
        message: '"tags" of "orders" does not lead to one record.',
      });
    }
  });

  it('a permission that reads a related list: part of the statement, whatever the number of records', async () => {
    const { dataSource } = await open(shop);
    const asked: string[] = [];
    const watched = {
      ...dataSource,
      list: (...query: Parameters<typeof dataSource.list>) => {
        asked.push(query[0].collection);
        return dataSource.list(...query);
      },
    };
    const service = serve(watched, { orders: gold });
    expect(await service.count({ collection: 'orders' }, context)).toBe(250);
    expect(asked).toEqual([]);
    expect(await valuesOf(service, 'orders', 'id')).toEqual(range(1, 500).filter((id) => id % 2 === 0));
    expect(asked).toEqual(['orders']);
  });

  it('delete-many and changes: the scope holds for them as for reading', async () => {
    const { dataSource } = await open([...shop, 'delete from order_tags']);
    const service = serve(dataSource, { orders: gold });
    const everything = serve(dataSource);
    expect(await service.update('orders', [1], { customer_id: 1 }, context)).toBeNull();
    await expect(service.get('orders', [1], undefined, context)).rejects.toMatchObject({ code: 'REQUEST_NOT_FOUND' });
    const some = { field: 'id', operator: 'LessThan', value: 11 } as const;
    expect(await service.delete('orders', some, context)).toBe(5);
    expect(await service.delete('orders', { aggregator: 'Or', conditions: [] }, context)).toBe(0);
    expect(await service.delete('orders', undefined, context)).toBe(245);
    expect(await everything.count({ collection: 'orders' }, context)).toBe(251);
    expect(await valuesOf(everything, 'orders', 'customer_id', { field: 'id', operator: 'Equal', value: 1 })).toEqual([
      2,
    ]);
  });

  it('soft delete columns: nothing is guessed from their names', async () => {
    const instant = isMysqlFamily(dialect) ? 'datetime' : 'timestamp';
    const { dataSource } = await open([
      `create table t (id int primary key, deleted_at ${instant}, "deletedAt" ${instant}, is_deleted boolean)`,
      "insert into t values (1, null, null, null), (2, '2024-01-01 00:00:00', '2024-01-01 00:00:00', true)",
    ]);
    const service = serve(dataSource);
    expect(await valuesOf(service, 't', 'id')).toEqual([1, 2]);
    const record = await service.get('t', [2], undefined, context);
    expect(record).toEqual({
      id: 2,
      deleted_at: '2024-01-01T00:00:00.000Z',
      deletedAt: '2024-01-01T00:00:00.000Z',
      is_deleted: true,
    });
    await service.update('t', [2], { deleted_at: null, deletedAt: null, is_deleted: false }, context);
    expect(await service.delete('t', { field: 'id', operator: 'Equal', value: 2 }, context)).toBe(1);
    expect(await dataSource.count('t', undefined, { timezone: 'UTC' })).toBe(1);
  });
});
