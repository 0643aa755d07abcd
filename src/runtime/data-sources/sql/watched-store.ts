import type { RecordStore, TransactionalStore } from '../interface/data-source.ts';
import type { CatalogueWatch } from './catalogue-watch.ts';

/** The same store, whose writes trust what was read of the tables only after another look at them. */
export function watchedStore(store: TransactionalStore, watch: CatalogueWatch): TransactionalStore {
  const watched = withWritableTables(store, watch);
  return {
    ...store,
    async create(...call) {
      await watch.look();
      return watched.create(...call);
    },
    async update(...call) {
      await watch.look();
      return watched.update(...call);
    },
    async delete(...call) {
      await watch.look();
      return watched.delete(...call);
    },
    async transaction(work, context) {
      await watch.look();
      return store.transaction((inside) => work(withWritableTables(inside, watch)), context);
    },
  };
}

function withWritableTables(store: RecordStore, watch: CatalogueWatch): RecordStore {
  return {
    ...store,
    async create(collection, ...rest) {
      watch.assertWritable(collection);
      return store.create(collection, ...rest);
    },
    async update(collection, ...rest) {
      watch.assertWritable(collection);
      return store.update(collection, ...rest);
    },
    async delete(collection, ...rest) {
      watch.assertWritable(collection);
      return store.delete(collection, ...rest);
    },
  };
}
