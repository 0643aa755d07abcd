import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createSqlDataSource } from '#runtime/data-sources/create-sql-data-source';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { describeOnMysqlFamily } from '../../helpers/mysql-family.ts';
import type { MysqlFamilyServer } from '../../helpers/mysql-family-server.ts';

const context = { timezone: 'UTC' };
const lists = 6;

describeOnMysqlFamily('A table that an open transaction and an ALTER TABLE lock', (member) => {
  let server: MysqlFamilyServer;

  beforeAll(async () => {
    server = await member.start();
    await server.createDatabase('shop', [
      'create table orders (id int primary key, note varchar(9))',
      'create table customers (id int primary key, name varchar(9))',
      'insert into orders values (1, "a")',
      'insert into customers values (1, "Ann")',
    ]);
  });
  afterAll(() => server?.stop());

  async function open(statementTimeoutMs: number): Promise<DataSource> {
    const { host, port, user: username, password } = server;
    const connection = { dialect: member.dialect, host, port, database: 'shop', username, password };
    const source = await createSqlDataSource(connection, { statementTimeoutMs, connectTimeoutMs: 20_000 })();
    onTestFinished(() => source.close());
    return source;
  }

  const list = (source: DataSource, collection: string) =>
    source.list({ collection, projection: ['id'], page: { skip: 0, limit: 10 } }, context);

  /** A transaction that has read the table, and a change of the table behind it; what ends both. */
  async function lock(): Promise<() => Promise<void>> {
    const reader = await server.connect('shop');
    const changer = await server.connect('shop');
    await reader.beginTransaction();
    await reader.query('select * from orders');
    const change = changer.query('alter table orders comment = "changed"');
    await waitingFor('alter table orders%', 1);
    return async () => {
      await reader.rollback();
      await change;
      await Promise.all([reader.end(), changer.end()]);
    };
  }

  async function waitingFor(statement: string, count: number): Promise<void> {
    const admin = await server.connect();
    try {
      await expect
        .poll(
          async () => {
            const [rows] = await admin.query(
              "select 1 from information_schema.processlist where state like 'Waiting for table metadata lock' and info like ?",
              [statement],
            );
            return (rows as unknown[]).length;
          },
          { timeout: 10_000 },
        )
        .toBe(count);
    } finally {
      await admin.end();
    }
  }

  it('holds up lists of other tables until the wait for the lock ends, and no longer', { tags: 'long' }, async () => {
    const source = await open(2000);
    const unlock = await lock();
    const blocked = Promise.allSettled(Array.from({ length: lists }, () => list(source, 'orders')));
    await waitingFor('select%orders%', 5);
    // The lock is still there when this answers.
    expect(await list(source, 'customers')).toEqual([{ id: 1 }]);
    for (const outcome of await blocked) {
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { code: 'DATABASE_BUSY', message: expect.stringContaining('the table is being changed') },
      });
    }
    await unlock();
    expect(await list(source, 'orders')).toEqual([{ id: 1 }]);
  });

  it('refuses a write, and serves it once the lock is gone', async () => {
    const source = await open(1000);
    const unlock = await lock();
    await expect(source.create('orders', [{ id: 2, note: 'b' }], context)).rejects.toMatchObject({
      code: 'DATABASE_BUSY',
    });
    await unlock();
    expect(await source.create('orders', [{ id: 2, note: 'b' }], context)).toMatchObject([{ id: 2 }]);
  });

  it.each([
    [0, 10],
    [200, 1],
    [1500, 2],
    [30_000, 10],
  ])(
    'with a statement timeout of %i ms, every connection waits for a lock for %i seconds',
    async (timeoutMs, seconds) => {
      const source = await open(timeoutMs);
      const sql = 'select @@lock_wait_timeout as of_tables, @@innodb_lock_wait_timeout as of_records';
      const limits = { of_tables: String(seconds), of_records: String(seconds) };
      expect(await source.nativeQuery?.(sql, {}, context)).toEqual([limits]);
    },
  );
});
