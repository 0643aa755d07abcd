import { isCloudError } from '#kernel/errors/cloud-error';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import { migrations } from './migrations/index.ts';
import { statementsOf } from './migrations/migration.ts';
import { fileIsDamaged, fileIsForeign, sqliteStoreError, storeIsNewer } from './store-errors.ts';

/** Marks a SQLite file as a store of the platform ("VCpl"). */
const storeApplicationId = 0x5643706c;

/** Bring the store to the newest version, or to the version `target`, in one transaction. */
export function migrateSqlite(connection: SqliteConnection, file: string, target: number = migrations.length): void {
  inWordsOfTheStore(file, () =>
    connection.transaction(() => {
      const version = readVersion(connection, file);
      for (const migration of migrations.slice(version, target)) {
        for (const statement of statementsOf(migration('sqlite'))) connection.execute(statement);
      }
      const reached = Math.max(version, target);
      connection.execute(`pragma application_id = ${storeApplicationId}; pragma user_version = ${reached};`);
    }),
  );
}

/** How many migrations the store took. Refuses a database of something else, and a store of a newer version. */
export function versionOfSqlite(connection: SqliteConnection, file: string): number {
  let version = 0;
  inWordsOfTheStore(file, () => {
    version = readVersion(connection, file);
  });
  return version;
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
