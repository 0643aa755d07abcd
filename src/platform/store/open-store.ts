import { AsyncLocalStorage } from 'node:async_hooks';
import { cloudError } from '#kernel/errors/cloud-error';
import { resolveSqlConnection, type SqlConnectionParams } from '#node/database/sql-connection-params';
import { openSqliteStore } from './open-sqlite-store.ts';
import type { Store } from './store.ts';
import { engineUnsupported } from './store-errors.ts';

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

/** The same store, which refuses a transaction inside another one: on SQLite it would wait for itself. */
function transactionsStandAlone(store: Store): Store {
  const inside = new AsyncLocalStorage<true>();
  return {
    ...store,
    async transaction(work) {
      if (inside.getStore() === true) {
        throw cloudError(
          'INTERNAL_BUG',
          'A transaction of the store was begun inside another one. Hand over the outer one instead.',
        );
      }
      return store.transaction((transaction) => inside.run(true, () => work(transaction)));
    },
  };
}
