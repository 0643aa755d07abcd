import type { ColumnType } from './column-type.ts';
import { type ConditionLeaf, type ConditionTree, isBranch } from './condition-tree.ts';
import { type Rewrite, type RewriteContext, rewritesOf } from './operator-rewrites.ts';
import { type Operator, operatorNames } from './operators.ts';
import { createPlanCache } from './plan-cache.ts';

/**
 * Every operator that a column of the type can be filtered by when a source knows the `supported` ones: those, and all
 * that can be said by them.
 *
 * @param isNullable whether records may have no value; without them some operators need less.
 */
export function completeOperators(
  supported: ReadonlySet<Operator>,
  type: ColumnType,
  isNullable = true,
): ReadonlySet<Operator> {
  // Columns are many, and what they support is one of few things.
  return completions.memo(JSON.stringify([[...supported], type, isNullable]), {
    context: () => new Set(operatorNames.filter((operator) => isReachable(operator, supported, type, isNullable, []))),
  });
}

const completions = createPlanCache<ReadonlySet<Operator>>(500);

/**
 * The leaf said by the `supported` operators only, meaning the same for every record; `undefined` when it cannot be. Not
 * for paths through to-many relations: conditions joined by `And` may be met there by different records.
 */
export function rewriteLeaf(
  leaf: ConditionLeaf,
  supported: ReadonlySet<Operator>,
  context: RewriteContext,
): ConditionTree | undefined {
  return rewrite(leaf, supported, context, []);
}

function isReachable(
  operator: Operator,
  supported: ReadonlySet<Operator>,
  type: ColumnType,
  isNullable: boolean,
  trail: readonly Operator[],
): boolean {
  if (supported.has(operator)) return true;
  if (trail.includes(operator)) return false;
  return usable(operator, supported, type, isNullable, trail) !== undefined;
}

/** The first way whose operators can all be had, without coming back to one on the trail. */
function usable(
  operator: Operator,
  supported: ReadonlySet<Operator>,
  type: ColumnType,
  isNullable: boolean,
  trail: readonly Operator[],
): Rewrite | undefined {
  return rewritesOf(operator).find(
    ({ needs, fits }) =>
      (fits?.(type, isNullable) ?? true) &&
      needs.every((needed) => isReachable(needed, supported, type, isNullable, [...trail, operator])),
  );
}

function rewrite(
  tree: ConditionTree,
  supported: ReadonlySet<Operator>,
  context: RewriteContext,
  trail: readonly Operator[],
): ConditionTree | undefined {
  if (isBranch(tree)) {
    const conditions = tree.conditions.map((child) => rewrite(child, supported, context, trail));
    const isComplete = conditions.every((child) => child !== undefined);
    return isComplete ? { aggregator: tree.aggregator, conditions } : undefined;
  }
  if (supported.has(tree.operator)) return tree;
  if (trail.includes(tree.operator)) return undefined;
  const way = usable(tree.operator, supported, context.type, context.isNullable, trail);
  return way && rewrite(way.write(tree, context), supported, context, [...trail, tree.operator]);
}
