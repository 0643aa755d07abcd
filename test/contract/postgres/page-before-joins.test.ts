import { expect, it, onTestFinished } from 'vitest';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { createSqlDataSource } from '#runtime/index';
import type { ToOneRelation } from '#runtime/query/collection-schema';
import type { ListQuery } from '#runtime/query/record-query';
import { usePostgresServer } from '../../helpers/postgres-server.ts';

const server = usePostgresServer();
const context = { timezone: 'UTC' };

async function openShop(): Promise<DataSource> {
  const { host, port, user, password } = server.parameters();
  const database = await server.createDatabase(`
    create table customers (id int primary key, name text, grade int);
    create table orders (id int primary key, customer_id int references customers, total int);
    insert into customers select i, 'customer ' || i, i / 5 from generate_series(1, 5000) i;
    insert into orders select i, 1 + i * 7 % 5000, i * 31 % 997 from generate_series(1, 5000) i;
    analyze`);
  const parts = { dialect: 'postgres', host, port, database, username: user, password } as const;
  const source = await createSqlDataSource(parts, { poolSize: 1, liveQueryConnections: 'main' })();
  onTestFinished(() => source.close());
  return source;
}

/** How many customers PostgreSQL has read by now. The one connection tells its counts after the statement that asks for it. */
async function customersRead(source: DataSource): Promise<number> {
  await source.nativeQuery?.('select pg_stat_force_next_flush()', {}, context);
  const counts = await source.nativeQuery?.(
    "select idx_tup_fetch + seq_tup_read as read from pg_stat_user_tables where relname = 'customers'",
    {},
    context,
  );
  return Number(counts?.[0]?.['read']);
}

const ordered = (...fields: string[]) => fields.map((field) => ({ field, ascending: false }));
const withCustomers = { collection: 'orders', projection: ['id', 'total', 'customer:name'] };

it.each<[string, ListQuery]>([
  ['a later page', { ...withCustomers, sort: ordered('id'), page: { skip: 900, limit: 15 } }],
  [
    'a page in an order without an index',
    { ...withCustomers, sort: ordered('total', 'id'), page: { skip: 0, limit: 15 } },
  ],
  [
    'a later page of a filter',
    {
      ...withCustomers,
      where: { field: 'total', operator: 'GreaterThan', value: 500 },
      sort: ordered('id'),
      page: { skip: 300, limit: 15 },
    },
  ],
])('PostgreSQL looks up the related records of %s only', async (_what, query) => {
  const source = await openShop();
  const before = await customersRead(source);
  expect(await source.list(query, context)).toHaveLength(15);
  // The planner itself looks at an end of the key or two.
  expect((await customersRead(source)) - before).toBeLessThan(20);
});

it('a page counts a row as often as a relation without a unique key gives it', async () => {
  const source = await openShop();
  const grade: ToOneRelation = {
    kind: 'ManyToOne',
    name: 'grade',
    foreignCollection: 'customers',
    join: [{ local: 'total', foreign: 'grade' }],
  };
  const collections = source.collections.map((collection) =>
    collection.name === 'orders'
      ? { ...collection, fields: new Map(collection.fields).set('grade', grade) }
      : collection,
  );
  const store = source.extendedBy?.(collections);
  const query = { collection: 'orders', projection: ['id', 'grade:name'], sort: ordered('id') };
  const whole = await store?.list(query, context);
  expect(whole?.length).toBeGreaterThan(5000);
  const page = await store?.list({ ...query, page: { skip: 20, limit: 5 } }, context);
  expect(page?.map((order) => order['id'])).toEqual(whole?.slice(20, 25).map((order) => order['id']));
});
