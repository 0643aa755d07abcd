import { afterAll, beforeAll } from 'vitest';
import { createSqlDataSource } from '#runtime/data-sources/sql/create-sql-data-source';
import { describeOnMariadb, type MariadbServer, startMariadb } from '../../helpers/mariadb-server.ts';
import { describeDataSource } from '../data-source/data-source-suite.ts';
import { createTablesSql } from '../data-source/ddl.ts';

describeOnMariadb('A data source', () => {
  let server: MariadbServer;
  let databases = 0;
  beforeAll(async () => {
    server = await startMariadb();
  });
  afterAll(() => server?.stop());

  for (const [name, preparedStatements] of [
    ['MariaDB', true],
    ['MariaDB without prepared statements', false],
  ] as const) {
    describeDataSource(name, async (tables) => {
      databases += 1;
      const database = await server.createDatabase(`suite_${databases}`, createTablesSql('mariadb', tables));
      const { host, port, user: username, password } = server;
      const options = { preparedStatements };
      return createSqlDataSource({ dialect: 'mariadb', host, port, database, username, password }, options)();
    });
  }
});
