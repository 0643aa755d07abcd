import { afterAll, beforeAll } from 'vitest';
import { createSqlDataSource } from '#runtime/data-sources/create-sql-data-source';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { type MariadbServer, startMariadb } from '../../helpers/mariadb-server.ts';
import { createTablesSql } from './ddl.ts';
import type { NeutralTable } from './tables.ts';

export interface MariadbVariant {
  readonly dialect?: 'mariadb' | 'mysql';
  readonly preparedStatements?: boolean;
}

/** A MariaDB server for the suite that calls it. What comes back makes a database with the tables, a new one each time. */
export function useMariadbTables(): (tables: readonly NeutralTable[], variant?: MariadbVariant) => Promise<DataSource> {
  let server: MariadbServer | undefined;
  let databases = 0;
  beforeAll(async () => {
    server = await startMariadb();
  });
  afterAll(() => server?.stop());

  return async (tables, { dialect = 'mariadb', preparedStatements } = {}) => {
    if (!server) throw new Error('MariaDB is not running.');
    databases += 1;
    const database = await server.createDatabase(`tables_${databases}`, createTablesSql('mariadb', tables));
    const { host, port, user: username, password } = server;
    return createSqlDataSource({ dialect, host, port, database, username, password }, { preparedStatements })();
  };
}
