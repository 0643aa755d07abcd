import { type ConditionTree, isBranch } from './condition-tree.ts';
import { nestPath } from './relation-path.ts';

/** The condition seen from the other end of a relation: on `relation:column` instead of `column`. */
export function nestCondition(tree: ConditionTree, relation: string): ConditionTree {
  if (isBranch(tree)) {
    return { aggregator: tree.aggregator, conditions: tree.conditions.map((child) => nestCondition(child, relation)) };
  }
  return { ...tree, field: nestPath(tree.field, relation) };
}
