import { rename, rm } from 'node:fs/promises';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { resolveSqlConnection, type ServerConnectionParams } from '#node/database/sql-connection-params';
import { makePrivateFile } from '#node/files/private-file';
import { openPostgres } from '#node/postgres/open-postgres';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { lockKey } from '../store/lock-key.ts';
import { migrateSchema } from '../store/migrate-postgres.ts';
import { migrateSqlite } from '../store/migrate-sqlite.ts';
import { postgresPlaceOf } from '../store/open-postgres-store.ts';
import { sizeOf, takeLock } from '../store/open-sqlite-store.ts';
import type { StoreAddress } from '../store/open-store.ts';
import { engineUnsupported, fileUnreachable, postgresStoreError, sqliteStoreError } from '../store/store-errors.ts';
import { postgresTables, setSequences } from './postgres-tables.ts';
import { sqliteTables } from './sqlite-tables.ts';
import { quoted, type TableAccess } from './table-access.ts';

/** Puts rows into the empty tables of a store. */
type Fill = (tables: TableAccess) => Promise<void>;

export interface FillAt {
  /** The version that the rows are of. */
  readonly version: number;
  readonly fill: Fill;
  /** Called with the filled store at its newest version. On PostgreSQL it is at its place by then. */
  readonly finish?: (store: StoreAddress) => Promise<void>;
}

/**
 * Make a store if there is none, at the version of the rows, fill it, and bring it to the newest version. When anything
 * fails, no store is there.
 *
 * @throws `PLATFORM_STORE_NOT_EMPTY`, `PLATFORM_STORE_IN_USE`, `PLATFORM_STORE_UNAVAILABLE`, and what `fill` throws.
 */
export async function fillStore(address: StoreAddress, input: FillAt): Promise<void> {
  const connection = resolveSqlConnection(address);
  if (connection.dialect === 'postgres') {
    await fillPostgres(connection, input);
    return input.finish?.(address);
  }
  if (connection.dialect === 'sqlite') return fillSqlite(connection.storage, input);
  throw engineUnsupported();
}

/** The store is made beside its place, and moved there when it is complete. */
async function fillSqlite(file: string, { version, fill, finish }: FillAt): Promise<void> {
  if (await sizeOf(file)) throw notEmpty(file);
  const lock = await takeLock(file);
  const unfinished = `${file}.unfinished`;
  try {
    await removeDatabase(unfinished);
    await makePrivateFile(unfinished);
    const connection = await openSqlite(unfinished, { synchronous: 'FULL' });
    try {
      migrateSqlite(connection, unfinished, version);
      connection.execute('begin immediate');
      const tables = sqliteTables(connection);
      for (const { name } of tables.tables.toReversed()) connection.run(`delete from ${quoted(name)}`);
      await fill(tables);
      connection.execute('commit');
      migrateSqlite(connection, unfinished);
    } finally {
      connection.close();
    }
    await finish?.({ dialect: 'sqlite', storage: unfinished });
    await rename(unfinished, file);
  } catch (error) {
    throw inWords(error, file);
  } finally {
    await removeDatabase(unfinished);
    lock.close();
  }
}

async function removeDatabase(file: string): Promise<void> {
  for (const part of [file, `${file}-wal`, `${file}-shm`, `${file}.lock`]) await rm(part, { force: true });
}

function inWords(error: unknown, file: string): unknown {
  const isOfSystem = error instanceof Error && 'syscall' in error;
  return isOfSystem ? fileUnreachable(file, error) : sqliteStoreError(error, file);
}

async function fillPostgres(connection: ServerConnectionParams, { version, fill }: FillAt): Promise<void> {
  const { schema, parameters, place } = postgresPlaceOf(connection);
  const pool = openPostgres({ ...parameters, poolSize: 1, statementTimeoutMs: 0 });
  try {
    await pool.transaction(async (session) => {
      await session.all('select pg_advisory_xact_lock($1)', [lockKey(schema, 'migrate')]);
      await session.run('set local idle_in_transaction_session_timeout = 0');
      const [found] = await session.all(
        `select exists (select from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
         where n.nspname = $1) as "isTaken"`,
        [schema],
      );
      if (found?.['isTaken'] === true) throw notEmpty(`the schema "${schema}" of ${place}`);
      await migrateSchema(session, schema, place, version);
      const tables = await postgresTables(session, schema);
      for (const { name } of tables.tables.toReversed())
        await session.run(`delete from ${quoted(schema)}.${quoted(name)}`);
      await fill(tables);
      await setSequences(session, schema);
      await migrateSchema(session, schema, place);
    });
  } catch (error) {
    throw postgresStoreError(error, place);
  } finally {
    await pool.close();
  }
}

function notEmpty(place: string): CloudError {
  return cloudError(
    'PLATFORM_STORE_NOT_EMPTY',
    `There is something at ${place} already, and it stays as it is.`,
    'Name a place where there is no store yet, or move the old one away.',
  );
}
