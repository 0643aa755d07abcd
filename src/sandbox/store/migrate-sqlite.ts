import { isCloudError } from '#kernel/errors/cloud-error';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import { migrations } from './migrations/index.ts';
import { fileIsDamaged, fileIsForeign, sqliteStoreError, storeIsNewer } from './store-errors.ts';

/** Marks a SQLite file as a store of the platform ("VCpl"). */
const storeApplicationId = 0x5643706c;

/** Bring the store to the newest version, in one transaction. */
export function migrateSqlite(connection: SqliteConnection, file: string): void {
  inWordsOfTheStore(file, () =>
    connection.transaction(() => {
      for (const migration of migrations.slice(readVersion(connection, file))) connection.execute(migration('sqlite'));
      connection.execute(`pragma application_id = ${storeApplicationId}; pragma user_version = ${migrations.length};`);
    }),
  );
}

/** Refuses a database of something else, and a store of a newer version. Changes nothing. */
export function checkIsStore(connection: SqliteConnection, file: string): void {
  inWordsOfTheStore(file, () => void readVersion(connection, file));
}

/** How many migrations the store took; 0 for an empty database. */
function readVersion(connection: SqliteConnection, file: string): number {
  const isEmpty = connection.all('select 1 as found from sqlite_schema limit 1').length === 0;
  if (isEmpty) return 0;
  if (readPragma(connection, 'application_id') !== storeApplicationId) throw fileIsForeign(file);
  const version = readPragma(connection, 'user_version');
  if (version > migrations.length) throw storeIsNewer(file);
  return version;
}

function readPragma(connection: SqliteConnection, name: 'user_version' | 'application_id'): number {
  return Number(connection.all(`pragma ${name}`)[0]?.[name] ?? 0);
}

function inWordsOfTheStore(file: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    const known = sqliteStoreError(error, file);
    const saysWhy = isCloudError(known) && known.code === 'PLATFORM_STORE_UNAVAILABLE';
    throw saysWhy ? known : fileIsDamaged(file, error);
  }
}
