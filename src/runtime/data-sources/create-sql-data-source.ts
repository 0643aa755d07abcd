import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { unknownOption } from '#kernel/text/nearest-name';
import {
  resolveSqlConnection,
  type ServerConnectionParams,
  type SqlConnectionParams,
  type SqliteConnectionParams,
} from '#node/database/sql-connection-params';
import { isMongoUri } from '#node/mongo/mongo-connection-params';
import { createMongoDataSource, loadMongoDataSource } from './create-mongo-data-source.ts';
import type { DataSourceFactory } from './interface/data-source.ts';
import { loadSqlEngine, openSqlEngine, withConnection } from './open-sql-engine.ts';
import { replicaConnections } from './replica-connections.ts';
import type { CatalogueOrigin } from './sql/catalogue-cache.ts';
import type { SqlDataSourceOptions } from './sql/sql-data-source-options.ts';

const code = () => Promise.all([import('./sql/sql-data-source.ts'), import('./sql/catalogue-cache.ts')]);

/** Load the code of a data source on a SQL database, and open nothing. */
async function loadSqlDataSource({ dialect }: SqlConnectionParams): Promise<void> {
  await Promise.all([code(), loadSqlEngine(dialect)]);
}

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
  const options = withConnection(given, parameters);
  if (options.instants && parameters.dialect !== 'sqlite') throw sqliteOnly();
  const replicas = replicaConnections(parameters, options.replicas);
  return async () => {
    const [[{ createDataSourceOn }, { createCatalogueCache }], engine] = await Promise.all([
      code(),
      openSqlEngine(parameters, options, replicas),
    ]);
    try {
      const { catalogueCache: path, schemas } = options;
      const cache = path === undefined ? undefined : createCatalogueCache(path, originOf(parameters, schemas));
      const {
        liveQueryConnections: nativeQueryConnection,
        startupTimeoutMs,
        softDelete,
        timestamps,
        instants,
      } = options;
      const keptColumns = { softDelete, timestamps, instants };
      return await createDataSourceOn(engine, { cache, startupTimeoutMs, nativeQueryConnection, keptColumns });
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
  startupTimeoutMs: true,
  statementTimeoutMs: true,
  replicas: true,
  catalogueCache: true,
  softDelete: true,
  timestamps: true,
  instants: true,
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
  target: true,
  connectTimeoutMs: true,
  preparedStatements: true,
  applicationName: true,
  channelBinding: true,
  sslFiles: true,
} satisfies Record<keyof SqliteConnectionParams | keyof ServerConnectionParams, true>);

function checkOptions(options: object, known: readonly string[]): void {
  const problem = unknownOption(options, known);
  if (problem === undefined) return;
  throw cloudError(
    'AGENT_OPTION_INVALID',
    `createSqlDataSource has ${problem}`,
    'Correct the option where the data source is created.',
  );
}

function sqliteOnly(): CloudError {
  return cloudError(
    'AGENT_OPTION_INVALID',
    'The setting "instants" is for SQLite, which keeps instants as numbers of several kinds.',
    'Leave "instants" out.',
  );
}

function originOf(parameters: SqlConnectionParams, schemas: SqlDataSourceOptions['schemas']): CatalogueOrigin {
  if (parameters.dialect === 'sqlite') return { dialect: parameters.dialect, database: parameters.storage };
  const { dialect, host, port, database, username: user } = parameters;
  return { dialect, host, port, database, user, schemas };
}

/**
 * Load the code for the data source of a connection URI, and open nothing: what is loaded now is not loaded at the first use.
 *
 * @throws `DATABASE_URI_INVALID`
 */
export async function loadUriDataSource(uri: string): Promise<void> {
  await (isMongoUri(uri) ? loadMongoDataSource() : loadSqlDataSource(resolveSqlConnection(uri)));
}

/**
 * The data source of a connection URI, chosen by its scheme: MongoDB, or a SQL database.
 *
 * @throws `DATABASE_URI_INVALID`, and `AGENT_OPTION_INVALID` where MongoDB has nothing like an option; at once.
 */
export function createUriDataSource(
  uri: string,
  options: Pick<
    SqlDataSourceOptions,
    'catalogueCache' | 'startupTimeoutMs' | 'softDelete' | 'timestamps' | 'instants' | 'replicas'
  > = {},
): DataSourceFactory {
  if (!isMongoUri(uri)) return createSqlDataSource(uri, options);
  for (const name of ['softDelete', 'timestamps', 'instants', 'replicas'] as const) {
    if (Object.keys(options[name] ?? {}).length > 0) throw sqlOnly(name);
  }
  return createMongoDataSource(uri);
}

function sqlOnly(name: string): CloudError {
  return cloudError(
    'AGENT_OPTION_INVALID',
    `The setting "${name}" is for SQL databases, and the data source is on MongoDB.`,
    `Leave "${name}" out.`,
  );
}
