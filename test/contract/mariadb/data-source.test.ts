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

  for (const [name, dialect, preparedStatements] of [
    ['MariaDB', 'mariadb', true],
    ['MariaDB without prepared statements', 'mariadb', false],
    ['MariaDB, spoken to as to MySQL', 'mysql', true],
  ] as const) {
    describeDataSource(name, async (tables) => {
      databases += 1;
      const database = await server.createDatabase(`suite_${databases}`, createTablesSql('mariadb', tables));
      const { host, port, user: username, password } = server;
      const options = { preparedStatements };
      return createSqlDataSource({ dialect, host, port, database, username, password }, options)();
    });
  }
});
