import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import type {
  ContextCollection,
  ContextDataSource,
  ContextFilter,
  CustomizationContext,
} from '../../customizer/customization-context.ts';
import type { RecordStore } from '../../data-sources/interface/data-source.ts';
import type { CompiledCollection } from '../../model/compiled-model.ts';
import { contextMisused } from '../../user-code/call-handler.ts';
import { refusing } from '../../user-code/refusals.ts';
import type { CallContext } from '../calls/call-context.ts';
import { callOfOthers, inUnitOfCall, queryContext } from '../calls/call-context.ts';
import type { ContextFactory } from '../read/create-record-engine.ts';
import { storeOf } from '../read/list-records.ts';
import type { RecordEngine } from '../read/record-engine.ts';
import { writableStore } from '../write/store-writes.ts';
import { createContextCollection } from './context-collection.ts';

/**
 * The context of a handler of `collection`. Collections in it are made on demand. Deleted records are hidden from it,
 * whatever the request shows.
 */
export const createHandlerContext: ContextFactory = (engine, collection, asked, level): CustomizationContext => {
  const call = callOfOthers(asked);
  const own = (on: CallContext): CustomizationContext['collection'] =>
    level === 'store' ? createStoreCollection(collection, on) : createContextCollection(engine, collection, on);
  return {
    caller: Object.freeze({ ...call.caller }),
    get collection() {
      return own(call);
    },
    dataSource: createContextDataSource(engine, call),
    inTransaction: (work) =>
      inUnitOfCall(call, async (inside) =>
        work({ collection: own(inside), dataSource: createContextDataSource(engine, inside) }),
      ),
    ...refusing,
  };
};

/** Every collection, customizations included. */
export function createContextDataSource(engine: RecordEngine, call: CallContext): ContextDataSource {
  return { getCollection: (name) => createContextCollection(engine, named(engine, name), call) };
}

function named(engine: RecordEngine, name: string): CompiledCollection {
  const found = engine.model.collections.get(name);
  if (found) return found;
  const suggestion = didYouMean(nearestName(String(name), engine.model.collections.keys()));
  throw contextMisused(`Customization code asked for a collection that is not there: "${name}".${suggestion}`);
}

/** A collection as overrides read and write it: the database itself, without customizations. */
function createStoreCollection(collection: CompiledCollection, call: CallContext): ContextCollection {
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
