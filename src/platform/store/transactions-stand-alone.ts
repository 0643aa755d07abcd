import { AsyncLocalStorage } from 'node:async_hooks';
import { cloudError } from '#kernel/errors/cloud-error';
import type { Store } from './store.ts';

/** The same store, which refuses a transaction inside another one: on SQLite it would wait for itself. */
export function transactionsStandAlone(store: Store): Store {
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
