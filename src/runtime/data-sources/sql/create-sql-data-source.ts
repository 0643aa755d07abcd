import type { DataSourceFactory } from '../data-source.ts';
import { resolveSqlConnection, type SqlConnectionParams } from './sql-connection-params.ts';

export interface SqlDataSourceOptions {
  /** What a relative path of a SQLite file starts from; by default the folder the process was started in. */
  readonly baseFolder?: string;
}

/**
 * A data source on a SQL database: `sqlite:./shop.sqlite`, or the same in parts. Nothing is opened, and no driver
 * loaded, before the agent starts.
 *
 * @throws `DATABASE_URI_INVALID` at once; `DATABASE_…` from the factory.
 */
export function createSqlDataSource(
  connection: string | SqlConnectionParams,
  options: SqlDataSourceOptions = {},
): DataSourceFactory {
  const parameters = resolveSqlConnection(connection, options.baseFolder);
  return async () => {
    const [{ createDataSourceOn }, { openSqliteEngine }] = await Promise.all([
      import('./sql-data-source.ts'),
      import('./sqlite/sqlite-engine.ts'),
    ]);
    const engine = await openSqliteEngine(parameters.storage);
    try {
      return await createDataSourceOn(engine);
    } catch (error) {
      await engine.close();
      throw error;
    }
  };
}
