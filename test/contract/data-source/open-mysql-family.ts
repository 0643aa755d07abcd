import { afterAll, beforeAll } from 'vitest';
import { createSqlDataSource } from '#runtime/data-sources/create-sql-data-source';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import type { FamilyMember } from '../../helpers/mysql-family.ts';
import type { MysqlFamilyServer } from '../../helpers/mysql-family-server.ts';
import { createTablesSql } from './ddl.ts';
import type { NeutralTable } from './tables.ts';

export interface MysqlFamilyVariant {
  /** The scheme of the connection, where it is not that of the server. */
  readonly dialect?: 'mariadb' | 'mysql';
  readonly preparedStatements?: boolean;
}

/** A server for the suite that calls it. What comes back makes a database with the tables, a new one each time. */
export function useMysqlFamilyTables(
  member: FamilyMember,
): (tables: readonly NeutralTable[], variant?: MysqlFamilyVariant) => Promise<DataSource> {
  let server: MysqlFamilyServer | undefined;
  let databases = 0;
  beforeAll(async () => {
    server = await member.start();
  });
  afterAll(() => server?.stop());

  return async (tables, { dialect = member.dialect, preparedStatements } = {}) => {
    if (!server) throw new Error(`${member.name} is not running.`);
    databases += 1;
    const database = await server.createDatabase(`tables_${databases}`, createTablesSql(member.dialect, tables));
    const { host, port, user: username, password } = server;
    return createSqlDataSource({ dialect, host, port, database, username, password }, { preparedStatements })();
  };
}
