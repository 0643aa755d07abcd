import { type ConditionTree, isBranch } from './condition-tree.ts';
import { operatorArguments, operatorFromWire } from './operators.ts';

/**
 * A tree written in code, its operators and aggregators in the spelling of code: `equal` and `and` become `Equal` and `And`.
 * What is in that spelling already comes back itself; what is not a condition, or has an unknown operator, stays for the check.
 */
export function inCodeSpelling(tree: ConditionTree): ConditionTree {
  if (typeof tree !== 'object' || tree === null) return tree;
  if (!isBranch(tree)) {
    if (typeof tree.operator !== 'string' || Object.hasOwn(operatorArguments, tree.operator)) return tree;
    const operator = operatorFromWire(tree.operator);
    return operator === undefined ? tree : { ...tree, operator };
  }
  if (!Array.isArray(tree.conditions)) return tree;
  const aggregator = aggregators.get(tree.aggregator) ?? tree.aggregator;
  const conditions = tree.conditions.map(inCodeSpelling);
  const isAsBefore =
    aggregator === tree.aggregator && conditions.every((child, index) => child === tree.conditions[index]);
  return isAsBefore ? tree : { aggregator, conditions };
}

const aggregators: ReadonlyMap<string, 'And' | 'Or'> = new Map([
  ['and', 'And'],
  ['or', 'Or'],
]);
