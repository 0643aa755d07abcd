import { expect, it, onTestFinished } from 'vitest';

import { createSqlDataSource } from '#runtime/index';
import type { NativeQuery } from '#runtime/query/record-query';
import { usePostgresServer } from '../../helpers/postgres-server.ts';

const server = usePostgresServer();
const context = { timezone: 'UTC' };

/** How often each statement of a list was planned for its values, and how often with the plan that was kept. */
async function plansOf(query: NativeQuery): Promise<unknown> {
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

it.each<[string, NativeQuery, string, string]>([
  ['the first page', { ...newestFirst, page: { skip: 0, limit: 15 } }, '0', '10'],
  ['the first page of a filter', { ...newestFirst, where: afterZero, page: { skip: 0, limit: 15 } }, '5', '5'],
  [
    'a record',
    { ...newestFirst, where: { field: 'id', operator: 'Equal', value: 3 }, page: { skip: 0, limit: 1 } },
    '5',
    '5',
  ],
])('%s is planned by PostgreSQL a few times, not each time', async (_what, query, custom, generic) => {
  expect(await plansOf(query)).toEqual([{ custom_plans: custom, generic_plans: generic }]);
});
