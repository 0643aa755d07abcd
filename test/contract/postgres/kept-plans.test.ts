import { expect, it, onTestFinished } from 'vitest';
import { openPostgres } from '#node/postgres/open-postgres';
import { createSqlDataSource } from '#runtime/index';
import type { ListQuery } from '#runtime/query/record-query';
import { usePostgresServer } from '../../helpers/postgres-server.ts';

const server = usePostgresServer();
const context = { timezone: 'UTC' };

/** How often each statement of a list was planned for its values, and how often with the plan that was kept. */
async function plansOf(query: ListQuery): Promise<unknown> {
  const { host, port, user, password } = server.parameters();
  const database = await server.createDatabase(
    'create table t (id serial primary key, n int); insert into t (n) select i from generate_series(1, 20000) i; analyze t',
  );
  const parts = { dialect: 'postgres', host, port, database, username: user, password } as const;
  const source = await createSqlDataSource(parts, { poolSize: 1, liveQueryConnections: 'main' })();
  onTestFinished(() => source.close());
  for (let time = 0; time < 10; time++) await source.list(query, context);
  return source.nativeQuery?.(
    'select custom_plans, generic_plans from pg_prepared_statements where statement like \'%from "public"."t"%\'',
    {},
    context,
  );
}

const newestFirst = { collection: 't', projection: ['id', 'n'], sort: [{ field: 'id', ascending: false }] };
const afterZero = { field: 'id', operator: 'GreaterThan', value: 0 } as const;

it.each<[string, ListQuery, string, string]>([
  ['the first page', { ...newestFirst, page: { skip: 0, limit: 15 } }, '5', '5'],
  ['a later page of an unusual size', { ...newestFirst, page: { skip: 6 * 37, limit: 37 } }, '5', '5'],
  ['the first page of a filter', { ...newestFirst, where: afterZero, page: { skip: 0, limit: 15 } }, '5', '5'],
  ['a later page of a filter', { ...newestFirst, where: afterZero, page: { skip: 500, limit: 20 } }, '5', '5'],
  [
    'a record',
    { ...newestFirst, where: { field: 'id', operator: 'Equal', value: 3 }, page: { skip: 0, limit: 1 } },
    '5',
    '5',
  ],
])('PostgreSQL plans %s a few times, not each time', async (_what, query, custom, generic) => {
  expect(await plansOf(query)).toEqual([{ custom_plans: custom, generic_plans: generic }]);
});

it('pages of PostgreSQL hold the rows that they say, in order', async () => {
  const { host, port, user, password } = server.parameters();
  const database = await server.createDatabase(
    'create table t (id serial primary key, n int); insert into t (n) select i % 7 from generate_series(1, 300) i',
  );
  const parts = { dialect: 'postgres', host, port, database, username: user, password } as const;
  const source = await createSqlDataSource(parts)();
  onTestFinished(() => source.close());
  const sort = [
    { field: 'n', ascending: false },
    { field: 'id', ascending: true },
  ];
  const all = await source.list({ collection: 't', projection: ['id', 'n'], sort }, context);
  for (const [skip, limit] of [
    [0, 1],
    [0, 15],
    [15, 1],
    [13, 3],
    [255, 50],
    [290, 50],
    [400, 10],
  ] as const) {
    const page = await source.list({ collection: 't', projection: ['id', 'n'], sort, page: { skip, limit } }, context);
    expect(page).toEqual(all.slice(skip, skip + limit));
  }
});

it('PostgreSQL plans a statement of the platform once, for all values', async () => {
  const pool = openPostgres({ ...server.parameters(), poolSize: 1, values: 'typed', plans: 'generic' });
  onTestFinished(() => pool.close());
  for (let value = 0; value < 3; value++) await pool.all('select $1::int as value', [value]);
  const plans = "select custom_plans, generic_plans from pg_prepared_statements where statement like '%as value'";
  expect(await pool.all(plans)).toEqual([{ custom_plans: 0, generic_plans: 3 }]);
});
