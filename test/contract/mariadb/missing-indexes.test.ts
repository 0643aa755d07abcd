import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSqlDataSource } from '#runtime/data-sources/create-sql-data-source';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { describeOnMysqlFamily, numbersTo } from '../../helpers/mysql-family.ts';
import type { MysqlFamilyServer } from '../../helpers/mysql-family-server.ts';

const context = { timezone: 'UTC' };

describeOnMysqlFamily('advice on an index', (member) => {
  let server: MysqlFamilyServer;
  let source: DataSource;
  beforeAll(async () => {
    server = await member.start();
    const database = await server.createDatabase('shop', [
      'create table orders (id int primary key, status varchar(20), note text, total int, at datetime, customer int, key (customer))',
      `insert into orders select seq, 'open', 'a note', seq, now(), seq from ${numbersTo(500)}`,
      'analyze table orders',
    ]);
    const { host, port, user: username, password } = server;
    const parts = { dialect: member.dialect, host, port, database, username, password } as const;
    source = await createSqlDataSource(parts, { poolSize: 1 })();
  });
  afterAll(async () => {
    await source?.close();
    await server?.stop();
  });

  const advise = (field: string, value: unknown, sort?: string) =>
    source.adviseIndex?.(
      {
        ...{ collection: 'orders', projection: ['id'], where: { field, operator: 'Equal', value } },
        ...{ sort: sort === undefined ? [] : [{ field: sort, ascending: false }], page: { skip: 0, limit: 15 } },
      },
      context,
    );

  it('is a statement, the plan as it is now, and the reason why there is no estimate', async () => {
    expect(await advise('status', 'x', 'total')).toEqual({
      columns: ['status', 'total'],
      statement: 'create index `orders_status_total_idx` on `orders` (`status`, `total` desc)',
      plan: [expect.stringMatching(/^t0: ALL, \d+ rows/)],
      note: expect.stringContaining('no estimate'),
    });
  });

  it('has the beginning of a long text', async () => {
    expect((await advise('note', 'x'))?.statement).toContain('(`note`(191))');
  });

  it('stays away where there is an index, and where another form is compared', async () => {
    expect(await advise('customer', 1)).toBeUndefined();
    expect((await advise('total', 1, 'status'))?.columns).toEqual(['total']);
  });
});
