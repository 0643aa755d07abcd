import type { ConditionLeaf } from './condition-tree.ts';
import type { Operator } from './operators.ts';

/** One condition on one field. */
export class ConditionTreeLeaf implements ConditionLeaf {
  readonly field: string;
  readonly operator: Operator;
  readonly value: unknown;

  /** @param field a column, or a path `relation:column`. */
  constructor(field: string, operator: Operator, value: unknown = null) {
    this.field = field;
    this.operator = operator;
    this.value = value;
  }
}
