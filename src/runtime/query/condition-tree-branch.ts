import type { ConditionBranch, ConditionTree } from './condition-tree.ts';

/** Conditions of which all (`And`) or at least one (`Or`) must hold. */
export class ConditionTreeBranch implements ConditionBranch {
  readonly aggregator: 'And' | 'Or';
  readonly conditions: readonly ConditionTree[];

  constructor(aggregator: 'And' | 'Or', conditions: readonly ConditionTree[]) {
    this.aggregator = aggregator;
    this.conditions = conditions;
  }
}
