import { type ConditionTree, isBranch } from '../../query/condition-tree.ts';
import { StoredForm } from '../../query/stored-form.ts';
import type { SqlDialect } from './sql-dialect.ts';

/** A tree cut in two: what decides the SQL text, and the values that are bound to it. */
export interface ConditionShape {
  readonly key: string;
  readonly values: readonly unknown[];
}

/** Walks in the order in which `compileConditions` numbers the leaves. */
export function conditionShape(tree: ConditionTree, dialect: SqlDialect): ConditionShape {
  const values: unknown[] = [];
  const walk = (node: ConditionTree): string => {
    if (isBranch(node)) return `${node.aggregator}(${node.conditions.map(walk).join(',')})`;
    values.push(node.value);
    const variant = node.value instanceof StoredForm ? 'stored' : dialect.variantOf(node.operator, node.value);
    return `${JSON.stringify(node.field)} ${node.operator} ${variant}`;
  };
  return { key: walk(tree), values };
}
