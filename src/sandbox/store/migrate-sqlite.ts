import { isCloudError } from '#kernel/errors/cloud-error';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import { migrations } from './migrations/index.ts';
import { fileIsDamaged, fileIsForeign, sqliteStoreError, storeIsNewer } from './store-errors.ts';

/** Marks a SQLite file as a store of the platform ("VCpl"). */
const storeApplicationId = 0x5643706c;

/** Bring the store to the newest version, in one transaction. `user_version` of the file is its version. */
export function migrateSqlite(connection: SqliteConnection, file: string): void {
  try {
    connection.transaction(() => {
      const version = readPragma(connection, 'user_version');
      const isEmpty = connection.all('select 1 as found from sqlite_schema limit 1').length === 0;
      if (!isEmpty && readPragma(connection, 'application_id') !== storeApplicationId) throw fileIsForeign(file);
      if (version > migrations.length) throw storeIsNewer(file);
      for (const migration of migrations.slice(version)) connection.execute(migration('sqlite'));
      connection.execute(`pragma application_id = ${storeApplicationId}; pragma user_version = ${migrations.length};`);
    });
  } catch (error) {
    const known = sqliteStoreError(error, file);
    const saysWhy = isCloudError(known) && known.code === 'PLATFORM_STORE_UNAVAILABLE';
    throw saysWhy ? known : fileIsDamaged(file, error);
  }
}

function readPragma(connection: SqliteConnection, name: 'user_version' | 'application_id'): number {
  return Number(connection.all(`pragma ${name}`)[0]?.[name] ?? 0);
}
