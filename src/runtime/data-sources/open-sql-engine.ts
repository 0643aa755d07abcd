import type { SqlConnectionParams } from '#host/database/sql-connection-params';
import type { SqlDataSourceOptions } from './sql/sql-data-source-options.ts';
import type { SqlEngine } from './sql/sql-engine.ts';

const longestTimerMs = 2 ** 31 - 1;

/** The options of a data source with what its connection says: an option counts first. */
export function withConnection(options: SqlDataSourceOptions, connection: SqlConnectionParams): SqlDataSourceOptions {
  if (connection.dialect === 'sqlite') return options;
  const { sslMode, schemas } = connection;
  return { ...options, sslMode: options.sslMode ?? sslMode, schemas: options.schemas ?? schemas };
}

/** A file is there or not; a server may be down now and back in a moment. */
export async function openSqlEngine(
  parameters: SqlConnectionParams,
  options: SqlDataSourceOptions,
): Promise<SqlEngine> {
  if (parameters.dialect === 'sqlite') {
    const { openSqliteEngine } = await import('./sqlite/sqlite-engine.ts');
    return openSqliteEngine(parameters.storage, options);
  }
  const { createLazyEngine } = await import('./sql/lazy-engine.ts');
  const { host, port, database, username: user, password } = parameters;
  const { poolSize, sslMode, connectTimeoutMs, statementTimeoutMs, preparedStatements } = options;
  const shared = {
    host,
    port,
    database,
    user,
    password,
    poolSize,
    sslMode,
    connectTimeoutMs,
    statementTimeoutMs: timeoutOf(statementTimeoutMs),
    preparedStatements,
  };
  if (parameters.dialect === 'postgres') {
    const { openPostgresEngine, postgresDialect } = await import('./postgres/open-postgres-engine.ts');
    const { sslCertificateAuthority, schemas, shareConnections } = options;
    const own = { sslCertificateAuthority, schemas, shareConnections };
    return createLazyEngine(postgresDialect, () => openPostgresEngine({ ...shared, ...own }));
  }
  const { mariadbDialect, mysqlDialect, openMariadbEngine } = await import('./mariadb/open-mariadb-engine.ts');
  const own = { sslAuthorities: options.sslCertificateAuthority, furtherDatabases: options.schemas };
  const dialect = parameters.dialect === 'mysql' ? mysqlDialect : mariadbDialect;
  return createLazyEngine(dialect, () => openMariadbEngine({ ...shared, ...own }));
}

/** Longer than a timer can run, a good three weeks, is no limit. */
function timeoutOf(ms: number | undefined): number | undefined {
  return ms !== undefined && ms > longestTimerMs ? 0 : ms;
}
