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

export type ConditionTree = ConditionLeaf | ConditionBranch;

export function isBranch(tree: ConditionTree): tree is ConditionBranch {
  return 'aggregator' in tree;
}
