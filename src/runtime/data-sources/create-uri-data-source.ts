import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { resolveSqlConnection } from '#node/database/sql-connection-params';
import { isMongoUri } from '#node/mongo/mongo-connection-params';
import { createMongoDataSource, loadMongoDataSource } from './create-mongo-data-source.ts';
import { createSqlDataSource, loadSqlDataSource } from './create-sql-data-source.ts';
import type { DataSourceFactory } from './interface/data-source.ts';
import type { SqlDataSourceOptions } from './sql/sql-data-source-options.ts';

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
  options: Pick<SqlDataSourceOptions, 'catalogueCache' | 'startupTimeoutMs' | 'softDelete' | 'timestamps'> = {},
): DataSourceFactory {
  if (!isMongoUri(uri)) return createSqlDataSource(uri, options);
  for (const name of ['softDelete', 'timestamps'] as const) {
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
