import type { CompiledCollection, ModelView } from '../../model/compiled-model.ts';
import { columnLookup, pathBreak, resolveSource } from '../../model/field-path.ts';
import { aggregateRecords } from '../../query/aggregate-records.ts';
import type { AggregateRow, Aggregation } from '../../query/aggregation.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import type { RecordData } from '../../query/record-query.ts';
import { setValueAt } from '../../query/shape-record.ts';
import { type CallContext, queryContext } from '../calls/call-context.ts';
import { mergeByDependencies } from './group-by-dependencies.ts';
import { listRecords, maxScannedRecords, scanRefused, storeOf } from './list-records.ts';
import {
  type ConditionOnRecords,
  canHide,
  conditionOnRecords,
  type FilterPlan,
  planFilter,
} from './plan-filter-and-order.ts';
import { createPathShaper } from './plan-projection.ts';
import type { RecordEngine } from './record-engine.ts';

/** Aggregate a customized collection: in the database as far as that can be, else over records that are read. */
export async function aggregateRecordsOf(
  engine: RecordEngine,
  collection: CompiledCollection,
  where: ConditionTree | undefined,
  aggregation: Aggregation,
  limit: number | undefined,
  call: CallContext,
): Promise<AggregateRow[]> {
  const { model } = engine;
  const filter = await planFilter(engine, collection, where, call);
  if (filter.isEmpty)
    return aggregateRecords([], aggregation, columnLookup(model, collection), call.caller.timezone, limit);
  const sources = sourcesOf(model, collection, aggregation);
  const native = nativeAggregation(model, collection, aggregation, sources);
  if (native && !filter.residual) {
    const query = { collection: collection.name, where: filter.native, aggregation: native, limit };
    const rows = await storeOf(collection, call).aggregate(query, queryContext(call, collection));
    return rows.map((row) => renamedGroups(row, aggregation, sources));
  }
  const merged =
    filter.residual || conditionsOf(aggregation).length > 0
      ? undefined
      : await mergeByDependencies(engine, collection, filter.native, aggregation, limit, call);
  return merged ?? aggregateInMemory(engine, collection, where, aggregation, limit, call, filter);
}

async function aggregateInMemory(
  engine: RecordEngine,
  collection: CompiledCollection,
  where: ConditionTree | undefined,
  aggregation: Aggregation,
  limit: number | undefined,
  call: CallContext,
  filter: FilterPlan,
): Promise<AggregateRow[]> {
  const { model } = engine;
  const paths = pathsOf(aggregation);
  const hidden = await hiddenValues(engine, collection, aggregation, call);
  const asked = paths.length > 0 ? paths : collection.primaryKey;
  const projection = [...new Set([...asked, ...hidden.flatMap(({ fields }) => fields)])];
  // The scan of a residual condition has a bound of its own.
  const page = filter.residual ? undefined : { skip: 0, limit: maxScannedRecords + 1 };
  const records = await listRecords(engine, collection, { where, projection, page }, call);
  if (records.length > maxScannedRecords) throw scanRefused(collection.name);
  const shape = createPathShaper(model, collection, asked);
  const shaped: RecordData[] = records.map((record) => {
    const copy = shape(record);
    for (const { path, holds } of hidden) if (!holds(record)) setValueAt(copy, path, null);
    return copy;
  });
  return aggregateRecords(shaped, aggregation, columnLookup(model, collection), call.caller.timezone, limit);
}

/** The paths whose values are hidden from somebody, with the records that this is about. */
async function hiddenValues(
  engine: RecordEngine,
  collection: CompiledCollection,
  aggregation: Aggregation,
  call: CallContext,
): Promise<readonly ({ readonly path: string } & ConditionOnRecords)[]> {
  const hidden: ({ readonly path: string } & ConditionOnRecords)[] = [];
  for (const { field: path, shownWhere } of [aggregation, ...aggregation.groups]) {
    if (path === undefined || !shownWhere) continue;
    hidden.push({ path, ...(await conditionOnRecords(engine, collection, shownWhere, call)) });
  }
  return hidden;
}

function conditionsOf(aggregation: Aggregation): readonly ConditionTree[] {
  return [aggregation, ...aggregation.groups].flatMap(({ shownWhere }) => shownWhere ?? []);
}

function pathsOf({ field, groups }: Aggregation): string[] {
  return [...new Set([...(field === undefined ? [] : [field]), ...groups.map((group) => group.field)])];
}

/** Where the paths of an aggregation are read, imports followed. */
function sourcesOf(model: ModelView, collection: CompiledCollection, aggregation: Aggregation) {
  return new Map(pathsOf(aggregation).map((path) => [path, resolveSource(model, collection, path).path]));
}

/** The aggregation on native columns; `undefined` when one of its paths is computed or lies elsewhere. */
function nativeAggregation(
  model: ModelView,
  collection: CompiledCollection,
  aggregation: Aggregation,
  sources: ReadonlyMap<string, string>,
): Aggregation | undefined {
  const { operation, field, groups, shownWhere } = aggregation;
  if (!canHide(model, collection, conditionsOf(aggregation))) return undefined;
  const isNative = [...sources.values()].every(
    (path) => resolveSource(model, collection, path).field.kind === 'column' && !pathBreak(model, collection, path),
  );
  if (!isNative || new Set(groups.map((group) => sources.get(group.field))).size < groups.length) return undefined;
  const sourceOf = (path: string) => sources.get(path) ?? path;
  return {
    operation,
    ...(field === undefined ? {} : { field: sourceOf(field) }),
    ...(shownWhere ? { shownWhere } : {}),
    groups: groups.map((group) => ({ ...group, field: sourceOf(group.field) })),
  };
}

function renamedGroups(row: AggregateRow, { groups }: Aggregation, sources: ReadonlyMap<string, string>): AggregateRow {
  if (groups.every(({ field }) => sources.get(field) === field)) return row;
  const group = groups.map(({ field }) => [field, row.group[sources.get(field) ?? field]] as const);
  return { value: row.value, group: Object.fromEntries(group) };
}
