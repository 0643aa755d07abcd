import { afterAll, beforeAll } from 'vitest';
import { createSqlDataSource } from '#runtime/data-sources/sql/create-sql-data-source';
import { describeOnMariadb, type MariadbServer, startMariadb } from '../../helpers/mariadb-server.ts';
import { createTablesSql } from '../data-source/ddl.ts';
import { describeSearch } from './search-tests.ts';

describeOnMariadb('Searches', () => {
  let server: MariadbServer;
  let databases = 0;
  beforeAll(async () => {
    server = await startMariadb();
  });
  afterAll(() => server?.stop());

  describeSearch(async (tables) => {
    databases += 1;
    const database = await server.createDatabase(`search_${databases}`, createTablesSql('mariadb', tables));
    const { host, port, user: username, password } = server;
    return createSqlDataSource({ dialect: 'mariadb', host, port, database, username, password })();
  });
});
