import { DateTime } from 'luxon';
import { type MaybePromise, whenReady } from '#kernel/async/maybe-promise';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { ReadableStore } from '../../data-sources/interface/data-source.ts';
import type { CompiledCollection, ModelView } from '../../model/compiled-model.ts';
import { columnLookup } from '../../model/field-path.ts';
import { pageOrder } from '../../model/key-order.ts';
import { conditionOfRecords, hasEveryPart, keysPerCondition } from '../../model/record-id.ts';
import type { FieldSchema } from '../../query/collection-schema.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import { type RecordPredicate, recordPredicate } from '../../query/evaluate-condition.ts';
import { derivedOnce } from '../../query/plan-cache.ts';
import type { RecordData, SortClause } from '../../query/record-query.ts';
import { pageOf, sortRecords } from '../../query/sort-records.ts';
import { type CallContext, countedReading, queryContext } from '../calls/call-context.ts';
import {
  conditionOnRecords,
  type FilterPlan,
  fieldsOf,
  type PlannedOrder,
  planFilter,
  planOrder,
} from './plan-filter-and-order.ts';
import { createPathShaper, planProjection, type ReadStep } from './plan-projection.ts';
import type { EngineQuery, RecordEngine } from './record-engine.ts';
import { intersect } from './record-filter.ts';
import { runSteps } from './run-steps.ts';

/** How many records a condition or an order that the database does not know may make the agent read. */
export const maxScannedRecords = 100_000;
/** How long it may read them. */
const maxScanMs = 20_000;
const firstChunk = 500;
const largestChunk = 20_000;

/** List records of a customized collection. */
export function listRecords(
  engine: RecordEngine,
  collection: CompiledCollection,
  query: EngineQuery,
  call: CallContext,
): MaybePromise<RecordData[]> {
  if (query.stretches) return listStretches(engine, collection, query, query.stretches, call);
  return whenReady(planFilter(engine, collection, query.where, call), (filter) => {
    if (filter.isEmpty) return [];
    const order = query.sort ? plannedOrder(query.sort, collection, engine.model) : anyOrder;
    return filter.residual || !order.isNative
      ? scanAndRead(engine, collection, filter, order, query, call)
      : fetch(engine, collection, { ...query, where: filter.native, sort: order.clauses }, call);
  });
}

async function listStretches(
  engine: RecordEngine,
  collection: CompiledCollection,
  { where, page, ...query }: EngineQuery,
  stretches: readonly ConditionTree[],
  call: CallContext,
): Promise<RecordData[]> {
  const limit = page?.limit ?? Number.POSITIVE_INFINITY;
  const found: RecordData[] = [];
  for (const stretch of stretches) {
    const rest = page && { skip: 0, limit: limit - found.length };
    const within = { ...query, where: intersect([where, stretch]), page: rest, stretches: undefined };
    found.push(...(await listRecords(engine, collection, within, call)));
    if (found.length >= limit) break;
  }
  return found;
}

async function scanAndRead(
  engine: RecordEngine,
  collection: CompiledCollection,
  filter: FilterPlan,
  order: PlannedOrder,
  query: EngineQuery,
  call: CallContext,
): Promise<RecordData[]> {
  const { primaryKey } = collection;
  const read = (columns: readonly string[]) =>
    scan(engine, collection, filter, order, { ...query, projection: columns }, call);
  const found = await read(primaryKey.length > 0 ? primaryKey : query.projection);
  if (found.length === 0) return [];
  // No second reading finds a record without a key: the first one reads the whole projection.
  const isWhole = primaryKey.length === 0 || !found.every((record) => hasEveryPart(collection, record));
  const records = isWhole && primaryKey.length > 0 ? await read([...primaryKey, ...query.projection]) : found;
  return readFound(engine, collection, { records, isWhole }, query.projection, call);
}

/** One native query, and what the agent adds to its records. */
function fetch(
  engine: RecordEngine,
  collection: CompiledCollection,
  { projection, where, sort, page }: EngineQuery,
  call: CallContext,
): MaybePromise<RecordData[]> {
  const plan = plannedProjection(projection, collection, engine.model);
  const native = { collection: collection.name, projection: plan.native, where, sort, page };
  const reading = countedReading(storeOf(collection, call).list(native, queryContext(call, collection)), call);
  return plan.steps.length === 0 ? reading : completed(engine, reading, plan.steps, call);
}

/** The records that are read, with what `steps` add to them. */
export async function completed(
  engine: RecordEngine,
  reading: Promise<RecordData[]>,
  steps: readonly ReadStep[],
  call: CallContext,
): Promise<RecordData[]> {
  const records = await reading;
  await runSteps(engine, records, steps, call);
  return records;
}

const plannedProjection = derivedOnce((paths: readonly string[], collection: CompiledCollection, model: ModelView) => {
  const { native, steps } = planProjection(model, collection, paths);
  return Object.freeze({ native: Object.freeze(native), steps });
});

const plannedOrder = derivedOnce((sort: readonly SortClause[], collection: CompiledCollection, model: ModelView) => {
  const { clauses, isNative } = planOrder(model, collection, sort);
  return Object.freeze({ clauses: Object.freeze(clauses), isNative });
});

const anyOrder: PlannedOrder = { clauses: [], isNative: true };

/** The records that are meant, found by reading those that the native condition leaves, a chunk at a time. */
async function scan(
  engine: RecordEngine,
  collection: CompiledCollection,
  { native: where, residual }: FilterPlan,
  order: PlannedOrder,
  { page, projection }: EngineQuery,
  call: CallContext,
): Promise<readonly RecordData[]> {
  const columnAt = columnLookup(engine.model, collection);
  const shown = order.isNative ? undefined : await shownValues(engine, collection, order.clauses, call);
  const needed = [
    ...fieldsOf(residual),
    ...(order.isNative ? [] : order.clauses.map(({ field }) => field)),
    ...(shown?.fields ?? []),
    ...projection,
  ];
  const isMeant = recordPredicate(residual, columnAt, DateTime.now().setZone(call.caller.timezone));
  // Pages that follow one another need an order, and the same one each time.
  const keys = totalOrder(collection);
  const isAsked = ({ field }: SortClause) => order.clauses.some((clause) => clause.field === field);
  const sort = order.isNative ? [...order.clauses, ...keys.filter((key) => !isAsked(key))] : keys;
  const enough = order.isNative && page ? page.skip + page.limit : Number.POSITIVE_INFINITY;
  const deadline = performance.now() + maxScanMs;

  const found: RecordData[] = [];
  let read = 0;
  for (let size = firstChunk; ; size = Math.min(size * 4, largestChunk)) {
    // Read one more than the limit, to know whether there are more.
    const limit = Math.min(size, maxScannedRecords + 1 - read);
    const chunkPage = { skip: read, limit };
    const chunk = await fetch(engine, collection, { projection: needed, where, sort, page: chunkPage }, call);
    read += chunk.length;
    if (read > maxScannedRecords) throw scanRefused(collection.name);
    found.push(...chunk.filter(isMeant));
    if (chunk.length < limit || found.length >= enough) break;
    if (performance.now() > deadline) throw scanRefused(collection.name);
  }
  const sorted = order.isNative ? found : sortRecords(found, order.clauses, columnAt, shown?.isShown);
  return pageOf(sorted, page);
}

/** Which records have values to sort by, where some are hidden. */
async function shownValues(
  engine: RecordEngine,
  collection: CompiledCollection,
  clauses: readonly SortClause[],
  call: CallContext,
) {
  const fields: string[] = [];
  const predicates = new Map<SortClause, RecordPredicate>();
  for (const clause of clauses) {
    if (!clause.shownWhere) continue;
    const condition = await conditionOnRecords(engine, collection, clause.shownWhere, call);
    fields.push(...condition.fields);
    predicates.set(clause, condition.holds);
  }
  return { fields, isShown: (clause: SortClause) => predicates.get(clause) };
}

/** The order by the key; where the key cannot be sorted, by every column of the table that can. */
function totalOrder(collection: CompiledCollection): readonly SortClause[] {
  const byKey = pageOrder(collection);
  if (byKey.length > 0) return byKey;
  const isOrdered = (field: FieldSchema) => field.kind === 'column' && field.isSortable && !field.expression;
  const columns = [...collection.native.fields.values()].filter(isOrdered);
  return columns.map(({ name }) => ({ field: name, ascending: true }));
}

/** Read the projection of the found records, in their order. */
async function readFound(
  engine: RecordEngine,
  collection: CompiledCollection,
  { records: found, isWhole }: { readonly records: readonly RecordData[]; readonly isWhole: boolean },
  projection: readonly string[],
  call: CallContext,
): Promise<RecordData[]> {
  const { primaryKey } = collection;
  if (isWhole || projection.every((path) => primaryKey.includes(path))) {
    const { native, steps } = plannedProjection(projection, collection, engine.model);
    // The columns read for the condition and the order are left out. Callers shape records with computed fields themselves.
    return steps.length > 0 ? [...found] : found.map(createPathShaper(engine.model, collection, native));
  }
  const idOf = (record: RecordData) => JSON.stringify(primaryKey.map((key) => String(record[key])));
  const byId = new Map<string, RecordData>();
  const size = Math.min(found.length, keysPerCondition(primaryKey.length));
  for (let start = 0; start < found.length; start += size) {
    const where = conditionOfRecords(collection, found.slice(start, start + size));
    const records = await fetch(engine, collection, { projection: [...primaryKey, ...projection], where }, call);
    for (const record of records) byId.set(idOf(record), record);
  }
  // A record that was deleted between the two readings is left out.
  return found.map((record) => byId.get(idOf(record))).filter((record) => record !== undefined);
}

export function scanRefused(collection: string, max = maxScannedRecords): CloudError {
  return cloudError(
    'REQUEST_TOO_COSTLY',
    `The request makes the agent read more than ${max} records of "${collection}", or too long, because the database cannot carry out a part of it.`,
    [
      'Add a condition that the database knows.',
      'Replace the emulated operator or sort by one on columns: replaceFieldOperator, replaceFieldSorting.',
    ],
  );
}

/** The transaction of the request, once it has one; else any connection, or where the call says to read from. */
export function storeOf({ store }: CompiledCollection, { unit, readFrom }: CallContext): ReadableStore {
  return unit?.openedStore(store) ?? readFrom?.(store) ?? store;
}
