import type { ConditionTree } from '../../query/condition-tree.ts';
import type { CompiledCollection } from '../compiled-model.ts';
import type { CallContext } from '../record-service.ts';
import type { RecordEngine } from './record-engine.ts';
import { rewriteFilter } from './rewrite-filter.ts';
import { followRelations } from './semi-joins.ts';
import { isNativeFilter, isNeverTrue, type SplitFilter, splitFilter } from './split-filter.ts';

export interface FilterPlan extends SplitFilter {
  /** No record can fulfil it. */
  readonly isEmpty: boolean;
}

/** How a checked condition on original names is carried out. */
export async function planFilter(
  engine: RecordEngine,
  collection: CompiledCollection,
  where: ConditionTree | undefined,
  call: CallContext,
): Promise<FilterPlan> {
  if (!where) return { native: undefined, residual: undefined, isEmpty: false };
  if (isNeverTrue(where)) return { native: where, residual: undefined, isEmpty: true };
  if (isPlain(engine, collection, where)) return { native: where, residual: undefined, isEmpty: false };
  const rewritten = await rewriteFilter(engine, collection, where, call);
  const followed = await followRelations(engine, collection, rewritten, call);
  return { ...splitFilter(engine.model, collection, followed), isEmpty: isNeverTrue(followed) };
}

/** Nothing to rewrite: every leaf is on a column whose operators are the database's own. */
function isPlain(engine: RecordEngine, collection: CompiledCollection, tree: ConditionTree): boolean {
  return isNativeFilter(engine.model, collection, tree);
}
