import { type CompiledCollection, columnOf } from '../../model/compiled-model.ts';
import { columnLookup, pathBreak, resolveSource } from '../../model/field-path.ts';
import { aggregateRecords } from '../../query/aggregate-records.ts';
import type { AggregateOperation, AggregateRow, Aggregation } from '../../query/aggregation.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import { createShaper } from '../../query/shape-record.ts';
import { type CallContext, queryContext } from '../calls/call-context.ts';
import { maxScannedRecords, scanRefused, storeOf } from './list-records.ts';
import { planProjection, shapedPath } from './plan-projection.ts';
import type { RecordEngine } from './record-engine.ts';
import { runSteps } from './run-steps.ts';

/** Operations whose parts make up the whole, and what brings the parts together. An average is not one of them. */
const mergedBy: Partial<Record<AggregateOperation, AggregateOperation>> = {
  Count: 'Sum',
  Sum: 'Sum',
  Min: 'Min',
  Max: 'Max',
};
const valueField = '\u0000value';

/**
 * Group by computed fields without reading every record: the database groups by what they depend on, and the handlers are
 * called once for each distinct combination. `undefined` when that cannot be done.
 */
export async function mergeByDependencies(
  engine: RecordEngine,
  collection: CompiledCollection,
  where: ConditionTree | undefined,
  aggregation: Aggregation,
  limit: number | undefined,
  call: CallContext,
): Promise<AggregateRow[] | undefined> {
  const { model } = engine;
  const { operation, field, groups } = aggregation;
  const merge = mergedBy[operation];
  const isNative = (path: string) => {
    const source = resolveSource(model, collection, path);
    const column = columnOf(source.field);
    return source.field.kind === 'column' && column.isGroupable && !pathBreak(model, collection, source.path);
  };
  if (!merge || (field !== undefined && !isNative(field)) || groups.length === 0) return undefined;
  const plan = planProjection(
    model,
    collection,
    groups.map((group) => group.field),
  );
  // Behind a relation, a group cannot distinguish a partner without values from no partner.
  const isOwn = plan.native.every((path) => !path.includes(':') && isNative(path));
  if (!isOwn || plan.steps.some((step) => step.kind !== 'compute')) return undefined;

  const source = field === undefined ? undefined : resolveSource(model, collection, field);
  const native: Aggregation = {
    operation,
    ...(source ? { field: source.path } : {}),
    groups: plan.native.map((path) => ({ field: path })),
  };
  const query = { collection: collection.name, where, aggregation: native, limit: maxScannedRecords + 1 };
  const rows = await storeOf(collection, call).aggregate(query, queryContext(call, collection));
  if (rows.length > maxScannedRecords) throw scanRefused(collection.name);
  const records = rows.map(({ value, group }) => ({ ...group, [valueField]: value }));
  await runSteps(engine, records, plan.steps, call);
  const shape = createShaper([
    ...groups.map((group) => shapedPath(model, collection, group.field)),
    { path: valueField, source: valueField, relationSource: '' },
  ]);
  const columnAt = columnLookup(model, collection);
  const valueColumn = operation === 'Count' || !source ? countColumn : columnOf(source.field);
  return aggregateRecords(
    records.map(shape),
    { operation: merge, field: valueField, groups },
    (path) => (path === valueField ? valueColumn : columnAt(path)),
    call.caller.timezone,
    limit,
  );
}

const countColumn = {
  kind: 'column',
  name: valueField,
  type: 'Number',
  nativeType: '',
  isPrimaryKey: false,
  isNullable: false,
  isReadOnly: true,
  isSortable: true,
  isGroupable: false,
  isExact: false,
  operators: new Set<never>(),
  hasDefault: false,
} as const;
