import type { MaybePromise } from '#kernel/async/maybe-promise';
import { type CompiledCollection, columnOf } from '../../model/compiled-model.ts';
import { resolveSource } from '../../model/field-path.ts';
import { keyOrder } from '../../model/key-order.ts';
import { conditionOfRecords, hasEveryPart } from '../../model/record-id.ts';
import type { ConditionLeaf, ConditionTree } from '../../query/condition-tree.ts';
import type { Operator } from '../../query/operators.ts';
import { valueReader } from '../../query/record-path.ts';
import type { RecordData, SortClause } from '../../query/record-query.ts';
import { StoredPlace } from '../../query/stored-form.ts';
import { type CallContext, queryContext } from '../calls/call-context.ts';
import { storeOf } from './list-records.ts';
import { planOrder } from './plan-filter-and-order.ts';
import type { RecordEngine } from './record-engine.ts';

/** A total order in which the database can look for what comes after a record. */
export interface Keyset {
  /** The order of the records, as it has to be asked for. */
  readonly sort: readonly SortClause[];
  /** The paths that a record must hold to tell where it stands; original names. */
  readonly fields: readonly string[];
  /** One value for each clause of the order; `undefined` for a record that is no longer there, or whose key is not its own. */
  placeOf(record: RecordData, call: CallContext): MaybePromise<readonly unknown[] | undefined>;
  /** The records behind a place: stretches of the order that follow one another. */
  after(place: readonly unknown[]): readonly ConditionTree[];
}

/** A clause of an order, and how the database finds a value of it again. */
interface Step {
  readonly clause: SortClause;
  readonly isNullable: boolean;
  /** By the value that a record shows, or by the place in the order that the database tells. */
  readonly by: 'value' | 'place';
}

/**
 * The keyset of an order. `undefined` where the database cannot look for what comes after a record, or where no key tells apart
 * records that are equal in the order.
 *
 * A number is found again by its value. Texts and times are found by their places, which the database is asked for. A record may
 * show fewer digits of a time than are stored. Where any order of a key will do, it is that of its index. A database whose
 * index has a collation would sort the whole table for each page otherwise.
 */
export function keysetOf(
  engine: RecordEngine,
  collection: CompiledCollection,
  sort: readonly SortClause[],
): Keyset | undefined {
  // Nothing keeps the records of a view from having the same key.
  if (keyOrder(collection).length === 0 || collection.native.isReadOnly) return undefined;
  const { clauses, isNative } = planOrder(engine.model, collection, sort);
  const sorted = clauses.map(({ field }) => field);
  const isByKey = collection.primaryKey.every((key) => sorted.includes(key));
  if (!isByKey || !isNative || clauses.some(({ shownWhere }) => shownWhere)) return undefined;
  const steps = clauses.map((clause) => stepOf(engine, collection, clause));
  const placed = steps.flatMap(({ by, clause }) => (by === 'place' ? [clause.field] : []));
  const after = (place: readonly unknown[]) => stretchesBehind(steps, place);
  const readers = sorted.map(valueReader);
  const valuesOf = (record: RecordData) => readers.map((read) => read(record));
  // Several records can be in the place of one whose key is not complete.
  const isPlace = (record: RecordData) => hasEveryPart(collection, record);
  const order = steps.map(({ clause }) => clause);
  if (placed.length === 0) {
    return {
      sort: order,
      fields: sorted,
      placeOf: (record) => (isPlace(record) ? valuesOf(record) : undefined),
      after,
    };
  }
  if (!collection.store.listPlaces) return undefined;
  return {
    sort: order,
    fields: sorted,
    after,
    async placeOf(record, call) {
      if (!isPlace(record)) return undefined;
      const where = conditionOfRecords(collection, [record]);
      const places = storeOf(collection, call).listPlaces;
      const [found, ...others] = (await places?.(collection.name, placed, where, queryContext(call, collection))) ?? [];
      // SQLite shows keys of one millisecond as one: the place of another record would lead back.
      if (!found || others.length > 0) return undefined;
      const texts = found.map(({ text }) => text ?? null).values();
      return valuesOf(record).map((value, index) => (steps[index]?.by === 'place' ? texts.next().value : value));
    },
  };
}

function stepOf(engine: RecordEngine, collection: CompiledCollection, clause: SortClause): Step {
  const { field, relationPath } = resolveSource(engine.model, collection, clause.field);
  const mayLack = collection.native.mayLackKey === true && collection.primaryKey.includes(clause.field);
  const { operators, isNullable } = columnOf(field);
  const isCompared = operators.has('GreaterThan') && operators.has('LessThan') && operators.has('Missing');
  const isNumber = columnOf(field).type === 'Number';
  const by = isCompared && (isNumber || !collection.store.listPlaces) ? 'value' : 'place';
  const { order, ...compared } = clause;
  return {
    clause: order && by === 'place' ? { ...compared, order: 'index' } : compared,
    isNullable: isNullable || mayLack || relationPath !== '',
    by,
  };
}

/**
 * The records behind a place in the order of the clauses: equal in the first of them, after it in the next. Those with and those
 * without a value in the first are stretches of their own, so that an index of it finds the beginning of each.
 */
function stretchesBehind(steps: readonly Step[], place: readonly unknown[]): readonly ConditionTree[] {
  const [first, ...others] = steps;
  if (!first) return [];
  const { ascending } = first.clause;
  const value = place[0];
  const equal = others.length > 0 ? [allOf([leaf(first, 'Equal', value), anyOf(beyond(others, place.slice(1)))])] : [];
  if (value === null) return ascending ? [...equal, leaf(first, 'NotEqual', null)] : equal;
  const strictly = leaf(first, ascending ? 'GreaterThan' : 'LessThan', value);
  const bound = first.by === 'place' ? [leaf(first, ascending ? 'GreaterThanOrEqual' : 'LessThanOrEqual', value)] : [];
  const behind = equal.length > 0 ? allOf([...bound, anyOf([strictly, ...equal])]) : strictly;
  return ascending || !first.isNullable ? [behind] : [behind, leaf(first, 'Equal', null)];
}

/** Nulls come first when ascending, last when descending. */
function beyond(steps: readonly Step[], place: readonly unknown[]): readonly ConditionTree[] {
  return steps.flatMap((step, index) => {
    const value = place[index];
    const { ascending } = step.clause;
    const equal = steps.slice(0, index).map((before, position) => leaf(before, 'Equal', place[position]));
    if (value === null) return ascending ? [allOf([...equal, leaf(step, 'NotEqual', null)])] : [];
    const strictly = allOf([...equal, leaf(step, ascending ? 'GreaterThan' : 'LessThan', value)]);
    return ascending || !step.isNullable ? [strictly] : [strictly, allOf([...equal, leaf(step, 'Equal', null)])];
  });
}

function allOf(conditions: readonly ConditionTree[]): ConditionTree {
  return { aggregator: 'And', conditions };
}

function anyOf(conditions: readonly ConditionTree[]): ConditionTree {
  return { aggregator: 'Or', conditions };
}

function leaf({ clause: { field, order }, by }: Step, operator: Operator, value: unknown): ConditionLeaf {
  if (by === 'place') {
    const text = value === null ? undefined : String(value);
    return { field, operator, value: new StoredPlace(text, order === 'index') };
  }
  return value === null && operator === 'Equal' ? { field, operator: 'Missing' } : { field, operator, value };
}
