import type { ContextFilter } from '../../customizer/customization-context.ts';
import { type ConditionTree, frozenTree } from '../../query/condition-tree.ts';
import type { RecordQuery } from './record-service.ts';

/**
 * The filter that hooks get: everything in one condition, in original names, and the parts of the request. A hook cannot
 * change the condition.
 */
export function contextFilter(
  where: ConditionTree | undefined,
  query: Omit<RecordQuery, 'collection' | 'projection'>,
): ContextFilter {
  const { search, isSearchExtended: searchExtended, segment } = query;
  return { conditionTree: where && frozenTree(where), search, searchExtended, segment };
}
