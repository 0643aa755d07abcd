import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSqlDataSource } from '#runtime/data-sources/create-sql-data-source';
import { describeOnMariadb, startMariadb } from '../../helpers/mariadb-server.ts';
import type { MysqlFamilyServer } from '../../helpers/mysql-family-server.ts';
import { describeOnMysql, startMysql } from '../../helpers/mysql-server.ts';
import { call, startShopAgent } from '../../helpers/shop-agent.ts';
import { describeJsonNumbers, jsonRows } from '../data-source/json-numbers-suite.ts';

let databases = 0;

async function created(server: MysqlFamilyServer, dialect: 'mariadb' | 'mysql') {
  databases += 1;
  const statements = ['create table ev (id int primary key, doc json)', `insert into ev values ${jsonRows}`];
  const database = await server.createDatabase(`json_${databases}`, statements);
  const { host, port, user: username, password } = server;
  return {
    open: createSqlDataSource({ dialect, host, port, database, username, password }),
    async stored(id: number) {
      const connection = await server.connect(database);
      const [rows] = await connection.query('select cast(doc as char) as doc from ev where id = ?', [id]);
      await connection.end();
      return (rows as { doc: string | null }[])[0]?.doc;
    },
  };
}

describeOnMariadb('Numbers in documents', () => {
  let server: MysqlFamilyServer;
  beforeAll(async () => {
    server = await startMariadb();
  });
  afterAll(() => server?.stop());
  describeJsonNumbers(() => created(server, 'mariadb'));
});

describeOnMysql('Documents', () => {
  let server: MysqlFamilyServer;
  beforeAll(async () => {
    server = await startMysql();
  });
  afterAll(() => server?.stop());

  it('stay null where they are null, and lose the digits that no double holds', async () => {
    const database = await created(server, 'mysql');
    const agent = await startShopAgent(undefined, { dataSources: { main: database.open } });
    const body = (doc: string) => `{"data":{"type":"ev","attributes":{"doc":${doc}}}}`;
    for (const id of [2, 3]) {
      expect((await call(agent, `/ev/${id}`, { method: 'PUT', body: body('null') })).status).toBe(200);
    }
    expect([await database.stored(2), await database.stored(3)]).toEqual(['null', null]);
    await call(agent, '/ev/3', { method: 'PUT', body: body('{"n":12345678901234567890.5}') });
    expect(await database.stored(3)).toBe('{"n": 1.2345678901234567e19}');
  });
});
