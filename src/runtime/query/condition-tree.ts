import type { Operator } from './operators.ts';

/**
 * One condition on one field. `field` is a column, or a path `relation:column`. Through to-many relations it holds when at
 * least one of the records the path leads to fulfils it.
 */
export interface ConditionLeaf {
  readonly field: string;
  readonly operator: Operator;
  readonly value?: unknown;
}

/** Conditions joined by one aggregator. An `And` of nothing holds always, an `Or` of nothing never. */
export interface ConditionBranch {
  readonly aggregator: 'And' | 'Or';
  readonly conditions: readonly ConditionTree[];
}

/** Conditions on the fields of records, nested as deep as needed. */
export type ConditionTree = ConditionLeaf | ConditionBranch;

export function isBranch(tree: ConditionTree): tree is ConditionBranch {
  return 'aggregator' in tree;
}

/**
 * Freeze a tree in place, so that what is derived from it may be kept; for what others hold on to, copy it first.
 * One that compares with lists or bytes is left as it is: handlers are given those values, and may work on them in place.
 */
export function frozenTree(tree: ConditionTree): ConditionTree {
  if (!isBranch(tree)) return typeof tree.value === 'object' && tree.value !== null ? tree : Object.freeze(tree);
  const isFrozen = tree.conditions.map(frozenTree).every((condition) => Object.isFrozen(condition));
  if (!isFrozen) return tree;
  Object.freeze(tree.conditions);
  return Object.freeze(tree);
}
