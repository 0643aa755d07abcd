import {
  resolveSqlConnection,
  type ServerConnectionParams,
  type SqlConnectionParams,
  type SqliteConnectionParams,
} from '#host/database/sql-connection-params';
import { CloudError } from '#kernel/errors/cloud-error';
import { unknownOption } from '#kernel/text/unknown-option';
import type { DataSourceFactory } from './interface/data-source.ts';
import type { CatalogueOrigin } from './sql/catalogue-cache.ts';
import type { SqlDataSourceOptions } from './sql/sql-data-source-options.ts';
import type { SqlEngine } from './sql/sql-engine.ts';

const longestTimerMs = 2 ** 31 - 1;

/**
 * A data source on a SQL database: `sqlite:./shop.sqlite`, `postgres://user@host/shop`, `mariadb://user@host/shop`, or the
 * same in parts. Nothing is opened, and no driver loaded, before the agent starts.
 *
 * @throws `DATABASE_URI_INVALID` and `AGENT_OPTION_INVALID` at once; `DATABASE_…` from the factory.
 *
 * @example
 * agent.addDataSource(createSqlDataSource('postgres://app@db.internal/shop', { poolSize: 10 }));
 */
export function createSqlDataSource(
  connection: string | SqlConnectionParams,
  given: SqlDataSourceOptions = {},
): DataSourceFactory {
  checkOptions(given, optionNames);
  if (typeof connection !== 'string') checkOptions(connection, connectionNames);
  const parameters = resolveSqlConnection(connection, given.baseFolder);
  const options = parameters.dialect === 'sqlite' ? given : withConnection(given, parameters);
  return async () => {
    const [{ createDataSourceOn }, { createCatalogueCache }, engine] = await Promise.all([
      import('./sql/sql-data-source.ts'),
      import('./sql/catalogue-cache.ts'),
      openEngine(parameters, options),
    ]);
    try {
      const { catalogueCache: path, schemas } = options;
      const cache = path === undefined ? undefined : createCatalogueCache(path, originOf(parameters, schemas));
      const { liveQueryConnections: nativeQueryConnection, softDelete, timestamps } = options;
      const keptColumns = { softDelete, timestamps };
      return await createDataSourceOn(engine, { cache, nativeQueryConnection, keptColumns });
    } catch (error) {
      await engine.close();
      throw error;
    }
  };
}

const optionNames = Object.keys({
  baseFolder: true,
  schemas: true,
  liveQueryConnections: true,
  poolSize: true,
  sslMode: true,
  sslCertificateAuthority: true,
  preparedStatements: true,
  shareConnections: true,
  connectTimeoutMs: true,
  statementTimeoutMs: true,
  catalogueCache: true,
  softDelete: true,
  timestamps: true,
} satisfies Record<keyof SqlDataSourceOptions, true>);

const connectionNames = Object.keys({
  dialect: true,
  storage: true,
  host: true,
  port: true,
  database: true,
  username: true,
  password: true,
  sslMode: true,
  schemas: true,
} satisfies Record<keyof SqliteConnectionParams | keyof ServerConnectionParams, true>);

function checkOptions(options: object, known: readonly string[]): void {
  const problem = unknownOption(options, known);
  if (problem === undefined) return;
  throw new CloudError({
    code: 'AGENT_OPTION_INVALID',
    message: `createSqlDataSource has ${problem}`,
    nextSteps: ['Correct the option where the data source is created.'],
  });
}

function withConnection(options: SqlDataSourceOptions, { sslMode, schemas }: ServerConnectionParams) {
  return { ...options, sslMode: options.sslMode ?? sslMode, schemas: options.schemas ?? schemas };
}

function originOf(parameters: SqlConnectionParams, schemas: SqlDataSourceOptions['schemas']): CatalogueOrigin {
  if (parameters.dialect === 'sqlite') return { dialect: parameters.dialect, database: parameters.storage };
  const { dialect, host, port, database, username: user } = parameters;
  return { dialect, host, port, database, user, schemas };
}

/** Longer than a timer can run, a good three weeks, is no limit. */
function timeoutOf(ms: number | undefined): number | undefined {
  return ms !== undefined && ms > longestTimerMs ? 0 : ms;
}

/** A file is there or not; a server may be down now and back in a moment. */
async function openEngine(parameters: SqlConnectionParams, options: SqlDataSourceOptions): Promise<SqlEngine> {
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
