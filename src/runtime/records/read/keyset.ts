import { type CompiledCollection, columnOf } from '../../model/compiled-model.ts';
import { resolveSource } from '../../model/field-path.ts';
import { keyOrder } from '../../model/key-order.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import { valueReader } from '../../query/record-path.ts';
import type { RecordData, SortClause } from '../../query/record-query.ts';
import { planOrder } from './plan-filter-and-order.ts';
import type { RecordEngine } from './record-engine.ts';

/** A total order in which the database can look for what comes after a record. */
export interface Keyset {
  /** The paths whose values tell where a record stands; original names. */
  readonly fields: readonly string[];
  /** One value for each of the fields. */
  placeOf(record: RecordData): readonly unknown[];
  /** The records behind a place. */
  after(place: readonly unknown[]): ConditionTree;
}

/**
 * The keyset of an order. `undefined` where the database cannot look for what comes after a record, or where no key tells apart
 * records that are equal in the order.
 *
 * @param sort Without `isAnyOrder`, since what comes after a record takes the order of comparisons.
 */
export function keysetOf(
  engine: RecordEngine,
  collection: CompiledCollection,
  sort: readonly SortClause[],
): Keyset | undefined {
  if (keyOrder(collection).length === 0) return undefined;
  const { clauses, isNative } = planOrder(engine.model, collection, sort);
  const fields = clauses.map(({ field }) => field);
  const isByKey = collection.primaryKey.every((key) => fields.includes(key));
  const canSeekBy = ({ field, shownWhere }: SortClause) => !shownWhere && canSeek(engine, collection, field);
  if (!isByKey || !isNative || !clauses.every(canSeekBy)) return undefined;
  const readers = fields.map(valueReader);
  return {
    fields,
    placeOf: (record) => readers.map((read) => read(record)),
    after: (place) => comesAfter(clauses, place),
  };
}

/** An order as comparisons have it. */
export function comparedOrder(sort: readonly SortClause[]): readonly SortClause[] {
  return sort.map(({ isAnyOrder: _isAnyOrder, ...clause }) => clause);
}

function canSeek(engine: RecordEngine, collection: CompiledCollection, path: string): boolean {
  const { operators } = columnOf(resolveSource(engine.model, collection, path).field);
  return operators.has('GreaterThan') && operators.has('LessThan') && operators.has('Missing');
}

/** The records behind a place in the order of the clauses: equal in the first of them, after it in the next. */
function comesAfter(clauses: readonly SortClause[], place: readonly unknown[]): ConditionTree {
  const alternatives = clauses.flatMap((clause, index) => {
    const beyond = beyondValue(clause, place[index]);
    if (!beyond) return [];
    const equal = clauses.slice(0, index).map((before, position) => equalTo(before.field, place[position]));
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
