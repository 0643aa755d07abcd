import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSqlDataSource } from '#runtime/data-sources/create-sql-data-source';
import { describeOnMysqlFamily } from '../../helpers/mysql-family.ts';
import type { MysqlFamilyServer } from '../../helpers/mysql-family-server.ts';
import { call, startShopAgent } from '../../helpers/shop-agent.ts';

describeOnMysqlFamily('What the database forbids', (member) => {
  let server: MysqlFamilyServer;
  beforeAll(async () => {
    server = await member.start();
  });
  afterAll(() => server?.stop());

  it('is refused with 403 and the reason', async () => {
    const database = await server.createDatabase('forbidden', [
      'create table notes (id int primary key, v varchar(9), w varchar(9))',
      "insert into notes values (1, 'a', 'b')",
      "create user reader identified by 'reader'",
      'grant select, update (v) on forbidden.notes to reader',
    ]);
    const { host, port } = server;
    const user = { username: 'reader', password: 'reader' };
    const agent = await startShopAgent(undefined, {
      dataSources: { main: createSqlDataSource({ dialect: member.dialect, host, port, database, ...user }) },
    });
    const send = async (method: string, path: string, attributes?: object) => {
      const body = attributes && { data: { type: 'notes', attributes } };
      const { status, json } = await call(agent, path, { method, ...(body ? { body } : {}) });
      return [status, (json as { errors?: { code: string }[] } | undefined)?.errors?.[0]?.code];
    };
    const forbidden = [403, 'DATABASE_WRITE_FORBIDDEN'];
    expect(await send('POST', '/notes', { id: 2, v: 'x' })).toEqual(forbidden);
    expect(await send('PUT', '/notes/1', { w: 'x' })).toEqual(forbidden);
    expect(await send('DELETE', '/notes/1')).toEqual(forbidden);
    expect((await send('PUT', '/notes/1', { v: 'x' }))[0]).toBe(200);
    const admin = await server.connect();
    await admin.query('set global read_only = on');
    expect(await send('PUT', '/notes/1', { v: 'y' })).toEqual(forbidden);
    await admin.query('set global read_only = off');
    await admin.end();
  });
});
