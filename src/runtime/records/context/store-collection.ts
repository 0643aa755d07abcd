import type { ContextCollection, ContextFilter } from '../../customizer/customization-context.ts';
import type { RecordStore } from '../../data-sources/interface/data-source.ts';
import type { CompiledCollection } from '../../model/compiled-model.ts';
import type { CallContext } from '../calls/call-context.ts';
import { queryContext } from '../calls/query-context.ts';
import { storeOf } from '../read/list-records.ts';
import { writableStore } from '../write/store-writes.ts';
import { inUnitOfCall } from '../write/unit-of-call.ts';

/** A collection as overrides read and write it: the database itself, without customizations. */
export function createStoreCollection(collection: CompiledCollection, call: CallContext): ContextCollection {
  const { name } = collection;
  const context = queryContext(call, collection);
  const whereOf = (filter: ContextFilter) => filter?.conditionTree;
  const writing = <Result>(work: (store: RecordStore) => Promise<Result>) =>
    inUnitOfCall(call, async (inside) => work(await writableStore(collection, inside)));
  return {
    name,
    list: (filter, projection) => {
      const { sort, page } = filter ?? {};
      const query = { collection: name, projection: [...projection], where: whereOf(filter), sort, page };
      return storeOf(collection, call).list(query, context);
    },
    aggregate: (filter, { operation, field, groups = [] }, limit) => {
      const aggregation = {
        operation,
        field,
        groups: groups.map((group) => ({ field: group.field, bucket: group.operation })),
      };
      const query = { collection: name, where: whereOf(filter), aggregation, limit };
      return storeOf(collection, call).aggregate(query, context);
    },
    create: (records) => writing((store) => store.create(name, records, context)),
    update: (filter, patch) => writing((store) => store.update(name, whereOf(filter), patch, context)),
    delete: (filter) => writing((store) => store.delete(name, whereOf(filter), context)),
  };
}
