import type { CompiledCollection, ModelView } from '../../model/compiled-model.ts';
import { type ConditionTree, isBranch } from '../../query/condition-tree.ts';
import { derivedOnce } from '../../query/plan-cache.ts';
import type { CallContext } from '../calls/call-context.ts';
import type { RecordEngine } from './record-engine.ts';
import { rewriteFilter } from './rewrite-filter.ts';
import { followRelations, followToMany } from './semi-joins.ts';
import { isNativeFilter, isNeverTrue, isReplaced, type SplitFilter, splitFilter } from './split-filter.ts';

export interface FilterPlan extends SplitFilter {
  /** No record can fulfil it. */
  readonly isEmpty: boolean;
}

/** How a checked condition on original names is carried out. */
export function planFilter(
  engine: RecordEngine,
  collection: CompiledCollection,
  where: ConditionTree | undefined,
  call: CallContext,
): FilterPlan | Promise<FilterPlan> {
  if (!where) return unfiltered;
  return plainPlan(where, collection, engine.model) ?? planRewritten(engine, collection, where, call);
}

const unfiltered: FilterPlan = { native: undefined, residual: undefined, isEmpty: false };

/** The plan of a condition that is carried out as it is; `undefined` for others. */
const plainPlan = derivedOnce((where: ConditionTree, collection: CompiledCollection, model: ModelView) => {
  const isEmpty = isNeverTrue(where);
  return isEmpty || isPlain(model, collection, where)
    ? Object.freeze({ native: where, residual: undefined, isEmpty })
    : undefined;
});

async function planRewritten(
  engine: RecordEngine,
  collection: CompiledCollection,
  where: ConditionTree,
  call: CallContext,
): Promise<FilterPlan> {
  const rewritten = await rewriteFilter(engine, collection, where, call);
  const followed = await followRelations(engine, collection, rewritten, call);
  const { native, residual: read } = splitFilter(engine.model, collection, followed);
  const residual = read && (await followToMany(engine, collection, read, call));
  return { native, residual, isEmpty: isNeverTrue(native) || isNeverTrue(residual) };
}

/** Nothing to rewrite: every leaf is on a column, with an operator that means what it means in the database. */
export function isPlain(model: ModelView, collection: CompiledCollection, tree: ConditionTree): boolean {
  return isNativeFilter(model, collection, tree) && !hasReplacement(model, collection, tree);
}

function hasReplacement(model: ModelView, collection: CompiledCollection, tree: ConditionTree): boolean {
  if (isBranch(tree)) return tree.conditions.some((condition) => hasReplacement(model, collection, condition));
  return isReplaced(model, collection, tree);
}
