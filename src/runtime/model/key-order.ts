import { type ConditionTree, isBranch } from '../query/condition-tree.ts';
import type { SortClause } from '../query/record-query.ts';
import type { CompiledCollection } from './compiled-model.ts';

/**
 * The primary key, ascending: the order of records that are equal otherwise. Empty where the database may have no order
 * for it, as for the first column of a view. What a declared key holds has an index and therefore an order, even where
 * clients may not sort by it.
 */
export function keyOrder({ primaryKey, native }: CompiledCollection): readonly SortClause[] {
  const hasOrder = (name: string) => {
    const field = native.fields.get(name);
    return field?.kind === 'column' && (field.isSortable || !native.isReadOnly);
  };
  return primaryKey.every(hasOrder) ? primaryKey.map((field) => ({ field, ascending: true })) : [];
}

/** The same where only pages must follow one another: in the order that the index of a declared key has, whatever it is. */
export function pageOrder(collection: CompiledCollection): readonly SortClause[] {
  const keys = keyOrder(collection);
  return collection.native.isReadOnly ? keys : keys.map((key) => ({ ...key, order: 'any' }));
}

/**
 * How many different keys a condition names, where it is true of no record with another one; `undefined` where it is about
 * records whatever their keys are.
 */
export function countNamedKeys(tree: ConditionTree | undefined, primaryKey: readonly string[]): number | undefined {
  if (!tree || primaryKey.length === 0) return undefined;
  if (isBranch(tree) && tree.aggregator === 'Or') {
    const counts = tree.conditions.map((condition) => countNamedKeys(condition, primaryKey));
    return counts.reduce<number | undefined>((sum, count) => (sum === undefined ? sum : count && sum + count), 0);
  }
  const conditions = isBranch(tree) ? tree.conditions : [tree];
  const counts = primaryKey.map((field) => Math.min(...conditions.map((condition) => countValues(condition, field))));
  const nested = isBranch(tree) ? conditions.map((each) => isBranch(each) && countNamedKeys(each, primaryKey)) : [];
  const fewest = Math.min(
    counts.reduce((product, count) => product * count, 1),
    ...nested.map((count) => (typeof count === 'number' ? count : Number.POSITIVE_INFINITY)),
  );
  return Number.isFinite(fewest) ? fewest : undefined;
}

/** How many values of a field a condition allows. */
function countValues(condition: ConditionTree, field: string): number {
  if (isBranch(condition) || condition.field !== field) return Number.POSITIVE_INFINITY;
  if (condition.operator === 'Equal') return 1;
  if (condition.operator !== 'In' || !Array.isArray(condition.value)) return Number.POSITIVE_INFINITY;
  return new Set(condition.value.map(String)).size;
}
