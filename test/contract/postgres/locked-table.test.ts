import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { usePostgresServer } from '../../helpers/postgres-server.ts';

const context = { timezone: 'UTC' };
const list = (source: DataSource, collection: string) =>
  source.list({ collection, projection: ['id'], page: { skip: 0, limit: 10 } }, context);

describe('A table that a transaction of PostgreSQL locks', () => {
  const server = usePostgresServer();

  it('holds up lists of other tables until the statement timeout, and no longer', { tags: 'long' }, async () => {
    const database = await server.createDatabase(`
      create table orders (id int primary key);
      create table customers (id int primary key);
      insert into orders values (1);
      insert into customers values (1)`);
    const source = await server.openDataSource('', { database, statementTimeoutMs: 1000, connectTimeoutMs: 20_000 });
    const { host, port, user, password } = server.parameters();
    const changer = new Client({ host, port, user, password, database });
    await changer.connect();
    await changer.query('begin; lock table orders in access exclusive mode');
    const blocked = Promise.allSettled(Array.from({ length: 6 }, () => list(source, 'orders')));
    await expect
      .poll(() => server.execute(database, 'select 1 from pg_locks where not granted'), { timeout: 10_000 })
      .toHaveLength(5);
    // The lock is still there when this answers.
    expect(await list(source, 'customers')).toEqual([{ id: 1 }]);
    for (const outcome of await blocked) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'DATABASE_TIMEOUT' } });
    }
    await changer.query('rollback');
    await changer.end();
    expect(await list(source, 'orders')).toEqual([{ id: 1 }]);
  });
});
