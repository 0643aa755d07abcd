import type { SqlConnectionParams } from '#node/database/sql-connection-params';
import type { ReplicaConnections } from './replica-connections.ts';
import type { SqlDataSourceOptions } from './sql/sql-data-source-options.ts';
import type { SqlEngine } from './sql/sql-engine.ts';

const longestTimerMs = 2 ** 31 - 1;

/** The options of a data source with what its connection says: an option counts first. */
export function withConnection(options: SqlDataSourceOptions, connection: SqlConnectionParams): SqlDataSourceOptions {
  if (connection.dialect === 'sqlite') return options;
  return {
    ...options,
    sslMode: options.sslMode ?? connection.sslMode,
    schemas: options.schemas ?? connection.schemas,
    connectTimeoutMs: options.connectTimeoutMs ?? connection.connectTimeoutMs,
    preparedStatements: options.preparedStatements ?? connection.preparedStatements,
  };
}

/** The code of each engine and its driver. Whoever asks first loads it. */
const code = {
  sqlite: () => import('./sqlite/sqlite-engine.ts'),
  lazy: () => import('./sql/lazy-engine.ts'),
  postgres: () => import('./postgres/open-postgres-engine.ts'),
  postgresReplicas: () => import('./postgres/postgres-replicas.ts'),
  mariadb: () => import('./mariadb/open-mariadb-engine.ts'),
  mariadbReplicas: () => import('./mariadb/mariadb-replicas.ts'),
};

/** Load what `openSqlEngine` needs for a dialect, and open nothing. */
export async function loadSqlEngine(dialect: SqlConnectionParams['dialect']): Promise<void> {
  if (dialect === 'sqlite') await code.sqlite();
  else await Promise.all([code.lazy(), dialect === 'postgres' ? code.postgres() : code.mariadb()]);
}

/** A file is there or not; a server may be down now and back in a moment. */
export async function openSqlEngine(
  parameters: SqlConnectionParams,
  options: SqlDataSourceOptions,
  replicas?: ReplicaConnections,
): Promise<SqlEngine> {
  if (parameters.dialect === 'sqlite') {
    const { openSqliteEngine } = await code.sqlite();
    return openSqliteEngine(parameters.storage, options);
  }
  const { createLazyEngine } = await code.lazy();
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
    const { openPostgresEngine, postgresDialect } = await code.postgres();
    const { sslCertificateAuthority, schemas, shareConnections } = options;
    const { target, applicationName, channelBinding, sslFiles } = parameters;
    const ofAddress = { target, applicationName, channelBinding, sslFiles };
    const own = { ...ofAddress, sslCertificateAuthority, schemas, shareConnections };
    const whole = { ...shared, ...own };
    const primary = createLazyEngine({ dialect: postgresDialect }, () => openPostgresEngine(whole));
    if (!replicas) return primary;
    const { withPostgresReplicas } = await code.postgresReplicas();
    return withPostgresReplicas(primary, whole, replicas);
  }
  const { dialectOfServer, mariadbDialect, mysqlDialect, openMariadbEngine } = await code.mariadb();
  const own = { sslAuthorities: options.sslCertificateAuthority, furtherDatabases: options.schemas };
  // Applications write `mysql://` for MariaDB too: as soon as the catalogue is there, it decides.
  const dialect = parameters.dialect === 'mysql' ? mysqlDialect : mariadbDialect;
  const whole = { ...shared, ...own };
  const primary = createLazyEngine({ dialect, dialectFor: dialectOfServer }, () => openMariadbEngine(whole));
  if (!replicas) return primary;
  const { withMariadbReplicas } = await code.mariadbReplicas();
  return withMariadbReplicas(primary, whole, replicas);
}

/** Longer than a timer can run, a good three weeks, means no limit. */
function timeoutOf(ms: number | undefined): number | undefined {
  return ms !== undefined && ms > longestTimerMs ? 0 : ms;
}
