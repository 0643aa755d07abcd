import path from 'node:path';
import { makePrivateFile } from '#host/files/private-file';
import { CloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import { migrations, storeApplicationId } from './migrations.ts';

/** Opens a SQLite file; `#host/sqlite/sqlite-connection` has the real one. */
export type OpenDatabase = (path: string, options: { readonly synchronous: 'FULL' }) => Promise<SqliteConnection>;

/**
 * Open the store of the platform and bring it to the newest version. Creates the file and its folder where missing, for their owner alone.
 * Rejects with `SANDBOX_STORE_UNAVAILABLE`; a file that is something else is left as it is.
 */
export async function openStore(storePath: string, openDatabase: OpenDatabase): Promise<SqliteConnection> {
  let connection: SqliteConnection;
  try {
    // SQLite gives the files beside it the same mode.
    await makePrivateFile(storePath);
    connection = await openDatabase(storePath, { synchronous: 'FULL' });
  } catch (cause) {
    const reason = isCloudError(cause) ? cause.message : `The file ${storePath} cannot be created or kept private.`;
    throw unavailable(`The store of the local platform cannot be opened. ${reason}`, storePath, cause);
  }
  try {
    migrate(connection, storePath);
    return connection;
  } catch (error) {
    connection.close();
    if (isCloudError(error) && error.code === 'SANDBOX_STORE_UNAVAILABLE') throw error;
    throw unavailable(`The store of the local platform at ${storePath} cannot be prepared.`, storePath, error);
  }
}

function migrate(connection: SqliteConnection, storePath: string): void {
  connection.transaction(() => {
    const version = readPragma(connection, 'user_version');
    const isEmpty = connection.all('select 1 as found from sqlite_schema limit 1').length === 0;
    if (!isEmpty && readPragma(connection, 'application_id') !== storeApplicationId) {
      throw unavailable(`${storePath} is a database of something else, not a store of the local platform.`, storePath);
    }
    if (version > migrations.length) {
      throw unavailable(`The store at ${storePath} was made by a newer version of vendor-cloud.`, storePath);
    }
    for (const script of migrations.slice(version)) connection.execute(script);
    connection.execute(`pragma application_id = ${storeApplicationId}; pragma user_version = ${migrations.length};`);
  });
}

function readPragma(connection: SqliteConnection, name: 'user_version' | 'application_id'): number {
  return Number(connection.all(`pragma ${name}`)[0]?.[name] ?? 0);
}

function unavailable(message: string, storePath: string, cause?: unknown): CloudError {
  return new CloudError({
    code: 'SANDBOX_STORE_UNAVAILABLE',
    message,
    nextSteps: [
      `Check the permissions of ${path.dirname(storePath)}, or move ${path.basename(storePath)} away to begin with an empty store.`,
    ],
    cause,
  });
}
