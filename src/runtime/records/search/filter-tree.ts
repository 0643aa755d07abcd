import type { CompiledCollection } from '../../model/compiled-model.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import type { CallContext } from '../calls/call-context.ts';
import type { RecordEngine } from '../read/record-engine.ts';
import { intersect, segmentCondition } from '../read/record-filter.ts';
import { codeAudience, type SearchAudience } from './search-audience.ts';
import { searchCondition } from './search-condition.ts';

/** Which records are meant, in original names; its condition has been checked. */
export interface EngineFilter {
  readonly where?: ConditionTree | undefined;
  readonly search?: string | undefined;
  readonly isSearchExtended?: boolean | undefined;
  readonly segment?: string | undefined;
}

/**
 * Filter, search and segment in one condition.
 *
 * @param audience on whose behalf a search is made; default: customization code, which sees everything.
 */
export async function filterTree(
  engine: RecordEngine,
  collection: CompiledCollection,
  { where, search = '', isSearchExtended = false, segment }: EngineFilter,
  call: CallContext,
  audience: SearchAudience = codeAudience(engine.model),
): Promise<ConditionTree | undefined> {
  const searched =
    search.trim() === ''
      ? undefined
      : await searchCondition(engine, collection, { text: search, isExtended: isSearchExtended }, audience, call);
  const inSegment = segment ? await segmentCondition(engine, collection, segment, call) : undefined;
  return intersect([where, searched, inSegment]);
}
