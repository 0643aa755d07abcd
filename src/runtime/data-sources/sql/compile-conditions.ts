import { sql } from 'kysely';
import { type ConditionTree, isBranch } from '../../query/condition-tree.ts';
import type { JoinPlan } from './join-plan.ts';
import type { Sql, SqlDialect } from './sql-dialect.ts';

/** The SQL of a condition tree, its values left open: leaf number `n`, in reading order, takes `BindContext.values[n]`. */
export function compileConditions(
  tree: ConditionTree | undefined,
  joins: JoinPlan,
  dialect: SqlDialect,
): Sql | undefined {
  if (!tree) return undefined;
  let leaves = 0;
  const write = (node: ConditionTree): Sql => {
    if (!isBranch(node)) {
      const { column, reference } = joins.columnAt(node.field);
      const variant = dialect.variantOf(node.operator, node.value);
      return dialect.condition({ column, reference, operator: node.operator, variant, index: leaves++ });
    }
    const parts = node.conditions.map(write);
    if (node.aggregator === 'And') return parts.length > 0 ? sql`(${sql.join(parts, sql` and `)})` : sql`1 = 1`;
    return parts.length > 0 ? sql`(${sql.join(parts, sql` or `)})` : sql`1 = 0`;
  };
  return write(tree);
}
