import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSqlDataSource } from '#runtime/data-sources/create-sql-data-source';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { describeOnMysqlFamily, numbersTo } from '../../helpers/mysql-family.ts';
import type { MysqlFamilyServer } from '../../helpers/mysql-family-server.ts';

const context = { timezone: 'UTC' };
const ordered = (...fields: string[]) => fields.map((field) => ({ field, ascending: false }));
const withCustomers = { collection: 'orders', projection: ['id', 'note', 'customer:name'] };

describeOnMysqlFamily('a page over a relation', (member) => {
  let server: MysqlFamilyServer;
  let source: DataSource;
  beforeAll(async () => {
    server = await member.start();
    const database = await server.createDatabase('shop', [
      'create table customers (id int primary key, name varchar(20))',
      'create table orders (id int primary key, note text, customer_id int, foreign key (customer_id) references customers (id))',
      `insert into customers select seq, concat('customer ', seq) from ${numbersTo(500)}`,
      `insert into orders select seq, if(seq % 7 = 0, null, concat('note ', seq % 50)), if(seq % 11 = 0, null, seq) from ${numbersTo(500)}`,
      'analyze table customers, orders',
    ]);
    const { host, port, user: username, password } = server;
    const parts = { dialect: member.dialect, host, port, database, username, password } as const;
    source = await createSqlDataSource(parts, { poolSize: 1, liveQueryConnections: 'main' })();
  });
  afterAll(async () => {
    await source?.close();
    await server?.stop();
  });

  /** How many rows the one connection has looked up by a key since it was asked last: each native query ends its session. */
  async function lookUps(): Promise<number> {
    const schema = member.dialect === 'mysql' ? 'performance_schema' : 'information_schema';
    const status = `select variable_value as n from ${schema}.session_status where variable_name = 'handler_read_key'`;
    return Number((await source.nativeQuery?.(status, {}, context))?.[0]?.['n']);
  }

  it.each([
    ['a deep page', 300],
    ['a page near the beginning', 30],
  ])('holds the records that the whole list has there: %s', async (_what, skip) => {
    for (const sort of [ordered('id'), ordered('note', 'id'), ordered('customer:name', 'id')]) {
      const whole = await source.list({ ...withCustomers, sort }, context);
      const page = await source.list({ ...withCustomers, sort, page: { skip, limit: 20 } }, context);
      expect(page).toEqual(whole.slice(skip, skip + 20));
    }
  });

  it('looks up the related records of a deep page only', async () => {
    await lookUps();
    await source.list({ ...withCustomers, sort: ordered('id'), page: { skip: 300, limit: 20 } }, context);
    expect(await lookUps()).toBeLessThanOrEqual(21);
  });
});
