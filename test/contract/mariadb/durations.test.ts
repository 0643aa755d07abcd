import { afterAll, beforeAll, expect, it } from 'vitest';
import type { VisibleCollection } from '#contracts/visible-schema';
import { createSqlDataSource } from '#runtime/data-sources/create-sql-data-source';
import { describeOnMysqlFamily } from '../../helpers/mysql-family.ts';
import type { MysqlFamilyServer } from '../../helpers/mysql-family-server.ts';
import { call, startShopAgent } from '../../helpers/shop-agent.ts';

describeOnMysqlFamily('A column of durations', (member) => {
  let server: MysqlFamilyServer;
  beforeAll(async () => {
    server = await member.start();
  });
  afterAll(() => server?.stop());

  it('differs from times of a day in the schema that people see, and takes what such a form sends', async () => {
    const database = await server.createDatabase('shop', [
      'create table shifts (id int auto_increment primary key, name varchar(20), worked time)',
    ]);
    const { host, port, user: username, password } = server;
    const connection = { dialect: member.dialect, host, port, database, username, password } as const;
    const agent = await startShopAgent(() => undefined, { dataSources: { main: createSqlDataSource(connection) } });
    const { json } = await call(agent, '/_internal/schema/shifts', { timezone: null });
    const { fields } = json as VisibleCollection;
    const named = fields.filter(({ isDuration }) => isDuration).map(({ name, type }) => [name, type]);
    expect(named).toEqual([['worked', 'Time']]);
    for (const worked of ['120:30:00', '-05:00:00']) {
      const body = { data: { type: 'shifts', attributes: { worked } } };
      const created = await call(agent, '/shifts', { method: 'POST', body });
      expect(created.json).toMatchObject({ data: { attributes: { worked } } });
    }
  });
});
