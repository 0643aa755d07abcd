import type { SavedDataSource } from '#contracts/saved-schema';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { resolveSqlConnection } from '#node/database/sql-connection-params';
import { isMongoUri } from '#node/mongo/mongo-connection-params';
import type { DataSourceFactory } from './interface/data-source.ts';
import { openSqlEngine, withConnection } from './open-sql-engine.ts';
import type { SqlDialect } from './sql/sql-dialect.ts';
import type { SqlEngine } from './sql/sql-engine.ts';
import type { KeptColumnSettings } from './tables/timestamp-and-soft-delete-settings.ts';

/**
 * What a database looks like now, to be kept in a file; the tables by name. Reads no rows.
 *
 * @throws `DATABASE_…`; `DATABASE_URI_INVALID` for MongoDB, whose collections only samples tell.
 */
export async function readSavedDataSource(uri: string): Promise<SavedDataSource> {
  if (isMongoUri(uri)) throw sqlOnly();
  const parameters = resolveSqlConnection(uri);
  const engine = await openSqlEngine(parameters, withConnection({}, parameters));
  try {
    const { tables } = await engine.introspect();
    const byName = tables.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return { dialect: parameters.dialect, tables: structuredClone(byName) as SavedDataSource['tables'] };
  } finally {
    await engine.close();
  }
}

const code = (dialect: SavedDataSource['dialect']) =>
  Promise.all([import('./sql/sql-data-source.ts'), dialectNamed(dialect)]);

/** Load the code of a data source on a saved schema. */
export async function loadSavedDataSource({ dialect }: SavedDataSource): Promise<void> {
  await code(dialect);
}

/**
 * A data source with the tables of a saved schema and without a database: code is compiled on it, and every query of a record
 * rejects with `DATABASE_UNREACHABLE`.
 */
export function createSavedDataSource(
  { dialect, tables }: SavedDataSource,
  keptColumns: KeptColumnSettings = {},
): DataSourceFactory {
  return async () => {
    const [{ createDataSourceOn }, sqlDialect] = await code(dialect);
    return createDataSourceOn(absentEngine(sqlDialect, tables), { keptColumns });
  };
}

function sqlOnly(): CloudError {
  return cloudError(
    'DATABASE_URI_INVALID',
    'The schemas of SQL databases can be saved, and a data source is on MongoDB.',
    'Check the code against the databases: vendor-cloud check --against database',
  );
}

async function dialectNamed(name: SavedDataSource['dialect']): Promise<SqlDialect> {
  switch (name) {
    case 'sqlite':
      return (await import('./sqlite/sqlite-dialect.ts')).sqliteDialect;
    case 'postgres':
      return (await import('./postgres/open-postgres-engine.ts')).postgresDialect;
    case 'mariadb':
      return (await import('./mariadb/open-mariadb-engine.ts')).mariadbDialect;
    case 'mysql':
      return (await import('./mariadb/open-mariadb-engine.ts')).mysqlDialect;
  }
}

function absentEngine(dialect: SqlDialect, tables: SavedDataSource['tables']): SqlEngine {
  const absent = async (): Promise<never> => {
    throw cloudError(
      'DATABASE_UNREACHABLE',
      'The code asked a database for records, and it is checked without databases.',
      'Read records in handlers, not while the code customizes the agent; or check with --against database.',
    );
  };
  return {
    dialect,
    introspect: async () => ({ tables, warnings: [] }),
    fingerprint: async () => 'saved',
    read: absent,
    transaction: absent,
    runReadOnly: absent,
    openConnections: () => 0,
    close: async () => undefined,
  };
}
