import { resolveSqlConnection, type ServerConnectionParams } from '#node/database/sql-connection-params';
import { openPostgres } from '#node/postgres/open-postgres';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { versionOfSqlite } from '../store/migrate-sqlite.ts';
import { postgresPlaceOf } from '../store/open-postgres-store.ts';
import { openFile, takeLock } from '../store/open-sqlite-store.ts';
import type { StoreAddress } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { engineUnsupported, schemaIsForeign, storeUnavailable } from '../store/store-errors.ts';
import { postgresTables } from './postgres-tables.ts';
import { sqliteTables } from './sqlite-tables.ts';
import type { TableAccess } from './table-access.ts';

/** A store as it was at one instant. */
export interface StoreSnapshot extends Omit<TableAccess, 'insert'> {
  readonly engine: Store['engine'];
  /** How many migrations it took. */
  readonly version: number;
}

export interface ReadOptions {
  /** Reject with `PLATFORM_STORE_IN_USE` when a platform uses the SQLite file, and keep it from doing so meanwhile. */
  readonly isAlone: boolean;
}

/** Read a store while others write to it: `read` sees it as it was at one instant. Nothing is changed. */
export async function readStore<Result>(
  address: StoreAddress,
  { isAlone }: ReadOptions,
  read: (store: StoreSnapshot) => Promise<Result>,
): Promise<Result> {
  const connection = resolveSqlConnection(address);
  if (connection.dialect === 'postgres') return readPostgres(connection, read);
  if (connection.dialect === 'sqlite') return readSqlite(connection.storage, isAlone, read);
  throw engineUnsupported();
}

async function readSqlite<Result>(
  file: string,
  isAlone: boolean,
  read: (store: StoreSnapshot) => Promise<Result>,
): Promise<Result> {
  const connection = await openFile(file, () => openSqlite(file, { isReadOnly: true }));
  try {
    const lock = isAlone ? await takeLock(file) : undefined;
    try {
      connection.execute('begin');
      const version = versionOfSqlite(connection, file);
      if (version === 0) throw isEmpty(file);
      return await read({ engine: 'sqlite', version, ...sqliteTables(connection) });
    } finally {
      lock?.close();
    }
  } finally {
    connection.close();
  }
}

async function readPostgres<Result>(
  connection: ServerConnectionParams,
  read: (store: StoreSnapshot) => Promise<Result>,
): Promise<Result> {
  const { schema, parameters, place } = postgresPlaceOf(connection);
  const pool = openPostgres({ ...parameters, poolSize: 1, statementTimeoutMs: 0 });
  try {
    return await pool.transaction(
      async (session) => {
        await session.run('set transaction isolation level repeatable read');
        await session.run('set local idle_in_transaction_session_timeout = 0');
        const [found] = await session.all('select to_regclass($1) is not null as "isStore"', [
          `${schema}.store_version`,
        ]);
        if (found?.['isStore'] !== true) throw schemaIsForeign(schema, place);
        const [row] = await session.all(`select version from ${schema}.store_version`);
        const tables = await postgresTables(session, schema);
        return read({ engine: 'postgres', version: Number(row?.['version']), ...tables });
      },
      { isReadOnly: true },
    );
  } finally {
    await pool.close();
  }
}

function isEmpty(file: string) {
  return storeUnavailable(`${file} is empty: there is nothing to read.`, 'Correct the address of the store.');
}
