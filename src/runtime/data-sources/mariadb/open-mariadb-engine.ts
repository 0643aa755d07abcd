import { createHash } from 'node:crypto';
import { type MysqlParameters, type MysqlSession, openMysql } from '#node/mysql/open-mysql';
import { bindNativeQuery } from '../sql/native-query.ts';
import type { SqlEngine, SqlSession } from '../sql/sql-engine.ts';
import { fingerprintParts, fingerprintSql } from './fingerprint-mariadb.ts';
import { introspectMariadb } from './introspect-mariadb.ts';
import { dialectOfServer, mariadbDialect } from './mariadb-dialect.ts';
import { mysqlSyntax } from './mysql-syntax.ts';
import { readMariadbChecks } from './read-checks.ts';
import { readUtcOffsets } from './utc-offsets.ts';
import { withViolatedFields } from './violated-fields.ts';

export { dialectOfServer, mariadbDialect, mysqlDialect } from './mariadb-dialect.ts';

export interface MariadbParameters extends MysqlParameters {
  /** Further databases of the server whose tables are taken; their collections are called `database.table`. */
  readonly furtherDatabases?: readonly string[] | undefined;
}

/**
 * A database on MariaDB 10.11 or later, or on MySQL 9: the catalogue says which of them it is. Nothing is connected before the
 * first query.
 *
 * @throws from every method, `DATABASE_…` errors.
 */
export async function openMariadbEngine(parameters: MariadbParameters): Promise<SqlEngine> {
  const database = await openMysql(parameters);
  const schemas = [...new Set([parameters.database, ...(parameters.furtherDatabases ?? [])])];
  return {
    dialect: mariadbDialect,
    dialectFor: dialectOfServer,
    introspect: () => introspectMariadb((sql, values) => database.all(sql, values), schemas),
    checks: () => readMariadbChecks((sql, values) => database.all(sql, values), schemas),
    async fingerprint() {
      const values = Array.from({ length: fingerprintParts }, () => schemas).flat();
      const rows = await database.all(fingerprintSql(schemas.length), values);
      return createHash('sha256').update(JSON.stringify(rows)).digest('hex');
    },
    forgetStatements: database.forgetStatements,
    read: (sql, values, { signal }) => database.all(sql, values, { signal }),
    transaction: (work, { signal }) => database.transaction((session) => work(namingFields(session)), { signal }),
    async runReadOnly(sql, values, { signal }) {
      const native = bindNativeQuery(sql, values, mysqlSyntax);
      return database.readOnly(native.sql, native.parameters, { signal });
    },
    utcOffsets: (zones, instants) => readUtcOffsets(database, zones, instants),
    openConnections: () => database.openConnections(),
    close: () => database.close(),
  };
}

/** The transaction is still open after a broken rule: the same connection tells what the rule is about. */
function namingFields(session: MysqlSession): SqlSession {
  const naming = async <Result>(sql: string, work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      throw await withViolatedFields(error, sql, session.all);
    }
  };
  return {
    all: (sql, values) => naming(sql, () => session.all(sql, values)),
    run: (sql, values) => naming(sql, () => session.run(sql, values)),
    insert: (sql, values) => naming(sql, () => session.insert(sql, values)),
  };
}
