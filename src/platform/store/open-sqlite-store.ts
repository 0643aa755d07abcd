import { stat } from 'node:fs/promises';
import { isCloudError } from '#kernel/errors/cloud-error';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import { makePrivateFile } from '#node/files/private-file';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { migrateSqlite, versionOfSqlite } from './migrate-sqlite.ts';
import { createSqliteStore } from './sqlite-store.ts';
import type { Store } from './store.ts';
import { fileIsDamaged, fileUnreachable, storeInUse } from './store-errors.ts';

/** A row of the log takes more than 1 KB, so that three would fill a page of 4 KB except for a quarter. */
const pageKb = 8;
const cacheMb = 4;

/**
 * Open the store in a SQLite file, which one process has for itself. Creates the file and its folder where missing, for
 * their owner only. A file that is something else stays as it is.
 */
export async function openSqliteStore(file: string): Promise<Store> {
  const open: SqliteConnection[] = [];
  const opened = (connection: SqliteConnection) => {
    open.unshift(connection);
    return connection;
  };
  try {
    await refuseForeign(file);
    opened(await takeLock(file));
    await makeFile(file);
    // SQLite gives the files beside it the mode of the file, when it makes them.
    for (const beside of [`${file}-wal`, `${file}-shm`]) {
      if ((await sizeOf(beside)) !== undefined) await makeFile(beside);
    }
    const writer = opened(await openFile(file, () => openSqlite(file, { synchronous: 'FULL', pageKb, cacheMb })));
    migrateSqlite(writer, file);
    const reader = opened(await openFile(file, () => openSqlite(file, { isReadOnly: true, cacheMb })));
    return createSqliteStore({ file, writer, reader, release: () => closeAll(open) });
  } catch (error) {
    closeAll(open);
    throw error;
  }
}

function closeAll(connections: readonly SqliteConnection[]): void {
  for (const connection of connections) connection.close();
}

/** A read-only connection changes neither the file nor its mode; it may leave an empty log beside it. */
async function refuseForeign(file: string): Promise<void> {
  if (!(await sizeOf(file))) return;
  const connection = await openFile(file, () => openSqlite(file, { isReadOnly: true }));
  try {
    versionOfSqlite(connection, file);
  } finally {
    connection.close();
  }
}

/** `undefined` for a file that is not there, or not to be seen. */
export async function sizeOf(file: string): Promise<number | undefined> {
  return stat(file).then(
    ({ size }) => size,
    () => undefined,
  );
}

/** Held until the process ends, however it ends: the system releases it. */
export async function takeLock(file: string): Promise<SqliteConnection> {
  const lockFile = `${file}.lock`;
  // To close a file in a process gives up all locks that this process holds on it.
  if ((await sizeOf(lockFile)) === undefined) await makeFile(lockFile);
  let lock: SqliteConnection | undefined;
  try {
    lock = await openSqlite(lockFile, { busyTimeoutMs: 0, journal: 'rollback' });
    lock.execute('begin exclusive');
    return lock;
  } catch (cause) {
    lock?.close();
    if (isCloudError(cause) && cause.code === 'DATABASE_BUSY') throw storeInUse(file, cause);
    throw fileUnreachable(lockFile, cause);
  }
}

async function makeFile(file: string): Promise<void> {
  try {
    await makePrivateFile(file);
  } catch (cause) {
    throw fileUnreachable(file, cause);
  }
}

export async function openFile(file: string, connect: () => Promise<SqliteConnection>): Promise<SqliteConnection> {
  try {
    return await connect();
  } catch (cause) {
    const isDamaged = isCloudError(cause) && cause.code === 'DATABASE_NOT_A_DATABASE';
    throw isDamaged ? fileIsDamaged(file, cause) : fileUnreachable(file, cause);
  }
}
