import { resolveSqlConnection, type SqlConnectionParams } from '#node/database/sql-connection-params';
import { openSqliteStore } from './open-sqlite-store.ts';
import type { Store } from './store.ts';
import { engineUnsupported } from './store-errors.ts';
import { transactionsStandAlone } from './transactions-stand-alone.ts';

/**
 * Where the store is: `sqlite:/var/lib/platform.sqlite`, `postgres://platform@db.example.com/platform`, or the same in parts. On
 * PostgreSQL the parameter `schema` names the schema of the store, `vendor_cloud` by default.
 */
export type StoreAddress = string | SqlConnectionParams;

/**
 * Open the store, made where it is missing, and bring it to the newest version.
 *
 * @throws `DATABASE_URI_INVALID`, `PLATFORM_STORE_IN_USE` or `PLATFORM_STORE_UNAVAILABLE`; what is there is left as it is.
 */
export async function openStore(address: StoreAddress): Promise<Store> {
  const connection = resolveSqlConnection(address);
  if (connection.dialect === 'sqlite') return transactionsStandAlone(await openSqliteStore(connection.storage));
  if (connection.dialect === 'postgres') {
    const { openPostgresStore } = await import('./open-postgres-store.ts');
    return transactionsStandAlone(await openPostgresStore(connection));
  }
  throw engineUnsupported();
}
