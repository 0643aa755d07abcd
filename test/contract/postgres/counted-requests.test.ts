import { expect, it } from 'vitest';
import { openPostgresEngine } from '#runtime/data-sources/postgres/open-postgres-engine';
import { createDataSourceOn } from '#runtime/data-sources/sql/sql-data-source';
import { usePostgresServer } from '../../helpers/postgres-server.ts';
import { call, startShopAgent } from '../../helpers/shop-agent.ts';

const server = usePostgresServer();

it('counting queries adds no statement to a request', async () => {
  const database = await server.createDatabase(`create extension pg_stat_statements;
    create table orders (id int primary key, status text); insert into orders select n, 's' || n from generate_series(1, 50) n;`);
  const open = async () => createDataSourceOn(await openPostgresEngine(server.parameters(database)));
  const agent = await startShopAgent(undefined, { dataSources: { main: open } });
  const filters = encodeURIComponent(JSON.stringify({ field: 'status', operator: 'equal', value: 's1' }));
  const targets = [`/orders?filters=${filters}&fields[orders]=id`, '/orders/count', '/orders/1?fields[orders]=status'];
  const askEach = async () => {
    for (const target of targets) expect((await call(agent, target)).status).toBe(200);
  };
  await askEach();
  await server.execute(database, 'select pg_stat_statements_reset()');
  for (let again = 0; again < 5; again++) await askEach();
  const rows = await server.execute(
    database,
    `select s.query, s.calls::int from pg_stat_statements s join pg_database d on d.oid = s.dbid
      where d.datname = current_database() and s.query not like '%pg_%'`,
  );
  expect(rows.map(({ calls }) => calls)).toEqual([5, 5, 5]);
  expect(rows.every(({ query }) => /^select/i.test(String(query)))).toBe(true);
});
