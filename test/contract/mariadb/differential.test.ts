import { afterAll, beforeAll } from 'vitest';
import { createSqlDataSource } from '#runtime/data-sources/sql/create-sql-data-source';
import { describeOnMariadb, type MariadbServer, startMariadb } from '../../helpers/mariadb-server.ts';
import { createTablesSql } from '../data-source/ddl.ts';
import type { OpenTables } from '../data-source/opened.ts';
import { describeDifferential } from '../differential/differential-suite.ts';

describeOnMariadb('Random queries', () => {
  let server: MariadbServer;
  let databases = 0;
  beforeAll(async () => {
    server = await startMariadb();
  });
  afterAll(() => server?.stop());

  const open: OpenTables = async (tables) => {
    databases += 1;
    const database = await server.createDatabase(`random_${databases}`, createTablesSql('mariadb', tables));
    const { host, port, user: username, password } = server;
    return createSqlDataSource({ dialect: 'mariadb', host, port, database, username, password })();
  };
  describeDifferential([{ name: 'MariaDB', open }], { databases: 120, decimal: [38, 6] });
});
