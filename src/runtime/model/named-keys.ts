import { type ConditionTree, isBranch } from '../query/condition-tree.ts';

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
