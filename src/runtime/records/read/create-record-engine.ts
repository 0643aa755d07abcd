import type { CustomizationContext } from '../../customizer/customization-context.ts';
import { type CompiledCollection, collectionNamed, columnOf, type ModelView } from '../../model/compiled-model.ts';
import { resolveSource } from '../../model/field-path.ts';
import { keysPerCondition } from '../../model/record-id.ts';
import { comparableOf, identityOf } from '../../query/value-order.ts';
import type { CallContext } from '../calls/call-context.ts';
import { queryContext } from '../calls/call-context.ts';
import { aggregateRecordsOf } from './aggregate.ts';
import { listRecords, maxScannedRecords, scanRefused, storeOf } from './list-records.ts';
import { planFilter } from './plan-filter-and-order.ts';
import type { RecordEngine } from './record-engine.ts';

/** Makes what handlers are called with; it needs an engine to read with. */
export type ContextFactory = (
  engine: RecordEngine,
  collection: CompiledCollection,
  call: CallContext,
  level: 'store' | undefined,
) => CustomizationContext;

export function createRecordEngine(model: ModelView, createHandlerContext: ContextFactory): RecordEngine {
  const engine: RecordEngine = {
    model,
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
