import { afterAll, beforeAll } from 'vitest';
import { createSqlDataSource } from '#runtime/data-sources/create-sql-data-source';
import { describeOnMysqlFamily } from '../../helpers/mysql-family.ts';
import type { MysqlFamilyServer } from '../../helpers/mysql-family-server.ts';
import { describeAlteredColumns } from '../data-source/altered-columns-suite.ts';

describeOnMysqlFamily('A column that is altered', (member) => {
  let server: MysqlFamilyServer;
  let databases = 0;
  beforeAll(async () => {
    server = await member.start();
  });
  afterAll(() => server?.stop());

  describeAlteredColumns({
    toText: ['alter table codes modify code varchar(20)'],
    widening: {
      type: 'varchar(20) character set latin1',
      alter: 'alter table widened modify value varchar(20) character set utf8mb4',
      before: 'Zoë',
      after: '日本',
    },
    async create(script) {
      databases += 1;
      const database = await server.createDatabase(`altered_${databases}`, script);
      const connection = await server.connect(database);
      const { host, port, user: username, password } = server;
      return {
        open: createSqlDataSource({ dialect: member.dialect, host, port, database, username, password }),
        execute: (sql) => connection.query(sql),
        rows: async (sql) => (await connection.query(sql))[0] as Record<string, unknown>[],
        close: () => connection.end(),
      };
    },
  });
});
