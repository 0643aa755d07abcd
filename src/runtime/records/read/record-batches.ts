import { type CompiledCollection, columnOf } from '../../model/compiled-model.ts';
import { resolveSource } from '../../model/field-path.ts';
import { keyOrder } from '../../model/key-order.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import { valueReader } from '../../query/record-path.ts';
import type { RecordData, SortClause } from '../../query/record-query.ts';
import type { CallContext } from '../calls/call-context.ts';
import { planOrder } from './plan-filter-and-order.ts';
import type { EngineQuery, RecordEngine } from './record-engine.ts';
import { intersect } from './record-filter.ts';

const batchSize = 1000;

/**
 * All records of a query in batches, in bounded memory. A batch begins after the last record of the one before it, so that each
 * costs the same however many came first. If the database cannot look for what comes after, or no key tells apart records that
 * are equal in the order, they are counted. Records without such a key are distinguished by all columns that can be sorted.
 *
 * @param limit how many records at most.
 */
export async function* recordBatches(
  engine: RecordEngine,
  collection: CompiledCollection,
  { projection, where, sort = [] }: EngineQuery,
  call: CallContext,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<readonly RecordData[]> {
  const { primaryKey } = collection;
  const hasKeyOrder = keyOrder(collection).length > 0;
  // A batch asks for what comes after a record, which takes the order of comparisons.
  const compared = sort.map(({ isAnyOrder: _isAnyOrder, ...clause }) => clause);
  const total = hasKeyOrder ? compared : [...compared, ...everyColumn(collection)];
  const order = planOrder(engine.model, collection, total);
  const isByKey = hasKeyOrder && primaryKey.every((key) => order.clauses.some(({ field }) => field === key));
  const canSeekBy = ({ field, shownWhere }: SortClause) => !shownWhere && canSeek(engine, collection, field);
  const hasKeyset = isByKey && order.isNative && order.clauses.every(canSeekBy);
  const paths = [...new Set([...projection, ...(hasKeyset ? order.clauses.map(({ field }) => field) : [])])];
  let last: RecordData | undefined;
  let sent = 0;
  while (sent < limit) {
    const page = { skip: hasKeyset ? 0 : sent, limit: Math.min(batchSize, limit - sent) };
    const after = hasKeyset && last ? comesAfter(order.clauses, last) : undefined;
    const batch = await engine.list(
      collection,
      { projection: paths, where: intersect([where, after]), sort: total, page },
      call,
    );
    if (batch.length > 0) yield batch;
    sent += batch.length;
    last = batch.at(-1);
    if (batch.length < page.limit) return;
  }
}

function everyColumn({ fields }: CompiledCollection): readonly SortClause[] {
  const columns = [...fields.values()].filter((field) => field.kind === 'column' && field.isSortable);
  return columns.map(({ name }) => ({ field: name, ascending: true }));
}

function canSeek(engine: RecordEngine, collection: CompiledCollection, path: string): boolean {
  const { operators } = columnOf(resolveSource(engine.model, collection, path).field);
  return operators.has('GreaterThan') && operators.has('LessThan') && operators.has('Missing');
}

/** The records behind `last` in the order of the clauses: equal in the first of them, after it in the next. */
function comesAfter(clauses: readonly SortClause[], last: RecordData): ConditionTree {
  const alternatives = clauses.flatMap((clause, index) => {
    const beyond = beyondValue(clause, valueReader(clause.field)(last));
    if (!beyond) return [];
    const equal = clauses.slice(0, index).map((before) => equalTo(before.field, valueReader(before.field)(last)));
    return [{ aggregator: 'And' as const, conditions: [...equal, beyond] }];
  });
  return { aggregator: 'Or', conditions: alternatives };
}

/** Nulls come first when ascending, last when descending. */
function beyondValue({ field, ascending }: SortClause, value: unknown): ConditionTree | undefined {
  if (value === null) return ascending ? { field, operator: 'NotEqual', value: null } : undefined;
  if (ascending) return { field, operator: 'GreaterThan', value };
  return {
    aggregator: 'Or',
    conditions: [
      { field, operator: 'LessThan', value },
      { field, operator: 'Missing' },
    ],
  };
}

function equalTo(field: string, value: unknown): ConditionTree {
  return value === null ? { field, operator: 'Missing' } : { field, operator: 'Equal', value };
}
