import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import type {
  ContextCollection,
  ContextDataSource,
  ContextFilter,
  CustomizationContext,
} from '../../customizer/customization-context.ts';
import type { RecordStore } from '../../data-sources/interface/data-source.ts';
import { type CompiledCollection, collectionNamed, columnOf, type ModelView } from '../../model/compiled-model.ts';
import { resolveSource } from '../../model/field-path.ts';
import { keysPerCondition } from '../../model/record-id.ts';
import { createSlowPatternWarning } from '../../model/slow-patterns.ts';
import { comparableOf, identityOf } from '../../query/value-order.ts';
import { contextMisused } from '../../user-code/call-handler.ts';
import { refusing } from '../../user-code/refusals.ts';
import { type CallContext, callOfOthers, inUnitOfCall, queryContext } from '../calls/call-context.ts';
import { aggregateRecordsOf } from '../read/aggregate.ts';
import { listRecords, maxScannedRecords, scanRefused, storeOf } from '../read/list-records.ts';
import { planFilter } from '../read/plan-filter-and-order.ts';
import type { RecordEngine } from '../read/record-engine.ts';
import { writableStore } from '../write/store-writes.ts';
import { createContextCollection, noteGroups, noteRecords } from './context-collection.ts';

/** The engine of a model. The code that it calls reads and writes through it, too. */
export function createRecordEngine(model: ModelView, warn: (message: string) => void): RecordEngine {
  const engine: RecordEngine = {
    model,
    warnOfSlowPatterns: createSlowPatternWarning(warn),
    collectionNamed: (name) => collectionNamed(model, name),
    contextOf: (collection, call, level) => createHandlerContext(engine, collection, call, level),
    list: (collection, query, call) => listRecords(engine, collection, query, call),
    async count(collection, where, call) {
      const filter = await planFilter(engine, collection, where, call);
      if (filter.isEmpty) return 0;
      if (!filter.residual)
        return storeOf(collection, call).count(collection.name, filter.native, queryContext(call, collection));
      const records = await engine.list(collection, { projection: collection.primaryKey, where }, call);
      return records.length;
    },
    aggregate: (collection, where, aggregation, limit, call) =>
      aggregateRecordsOf(engine, collection, where, aggregation, limit, call),
    async distinctKeys(collection, fields, where, call) {
      const parts = fields.map((field) => {
        const { field: target } = resolveSource(model, collection, field);
        return { field, comparable: comparableOf(columnOf(target).type) };
      });
      const aggregation = { operation: 'Count', groups: fields.map((field) => ({ field })) } as const;
      const max = Math.min(maxScannedRecords, keysPerCondition(fields.length));
      const rows = await engine.aggregate(collection, where, aggregation, max + 1, call);
      if (rows.length > max) throw scanRefused(collection.name, max);
      const keys = new Map<string, readonly unknown[]>();
      for (const { group } of rows) {
        const key = fields.map((field) => group[field] ?? null);
        if (key.includes(null)) continue;
        keys.set(JSON.stringify(parts.map(({ field, comparable }) => identityOf(comparable(group[field])))), key);
      }
      return keys;
    },
  };
  return engine;
}

/**
 * The context of a handler of `collection`. Collections in it are made on demand. Deleted records are hidden from it,
 * whatever the request shows.
 */
function createHandlerContext(
  engine: RecordEngine,
  collection: CompiledCollection,
  asked: CallContext,
  level: 'store' | undefined,
): CustomizationContext {
  const call = callOfOthers(asked);
  const own = (on: CallContext): CustomizationContext['collection'] =>
    level === 'store' ? createStoreCollection(engine, collection, on) : createContextCollection(engine, collection, on);
  return {
    caller: Object.freeze({ ...call.caller }),
    get collection() {
      return own(call);
    },
    dataSource: createContextDataSource(engine, call),
    inTransaction: (work) =>
      inUnitOfCall(call, async (begun) => {
        const inside = readingInside(begun);
        return work({ collection: own(inside), dataSource: createContextDataSource(engine, inside) });
      }),
    ...refusing,
  };
}

/** What code reads in a transaction is read inside it from the first read on, or a write could meet another state than it was decided by. */
function readingInside(call: CallContext): CallContext {
  const { unit } = call;
  return unit ? { ...call, readFrom: (store) => unit.readableStore(store) } : call;
}

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
function createStoreCollection(
  engine: RecordEngine,
  collection: CompiledCollection,
  call: CallContext,
): ContextCollection {
  const { name } = collection;
  const context = queryContext(call, collection);
  const whereOf = (filter: ContextFilter) => {
    const where = filter?.conditionTree;
    engine.warnOfSlowPatterns(collection, where);
    return where;
  };
  const writing = <Result>(work: (store: RecordStore) => Promise<Result>) =>
    inUnitOfCall(call, async (inside) => work(await writableStore(collection, inside)));
  return {
    name,
    list: async (filter, projection) => {
      const { sort, page } = filter ?? {};
      const query = { collection: name, projection: [...projection], where: whereOf(filter), sort, page };
      const records = await storeOf(collection, call).list(query, context);
      noteRecords(call, name, query.projection, records);
      return records;
    },
    aggregate: async (filter, { operation, field, groups = [] }, limit) => {
      const aggregation = {
        operation,
        field,
        groups: groups.map((group) => ({ field: group.field, bucket: group.operation })),
      };
      const query = { collection: name, where: whereOf(filter), aggregation, limit };
      const rows = await storeOf(collection, call).aggregate(query, context);
      noteGroups(call, name, aggregation, rows);
      return rows;
    },
    create: (records) => writing((store) => store.create(name, records, context)),
    update: (filter, patch) => writing((store) => store.update(name, whereOf(filter), patch, context)),
    delete: (filter) => writing((store) => store.delete(name, whereOf(filter), context)),
  };
}
