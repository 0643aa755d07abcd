import { isCloudError } from '#kernel/errors/cloud-error';
import type { GeneratedCondition, SearchOptions } from '../../customizer/query-definition.ts';
import type { CompiledCollection } from '../../model/compiled-model.ts';
import { toOneRelations } from '../../model/default-projection.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import { parseSearch, termsOf } from '../../query/search/parse-search.ts';
import { callHandler, customizationFailed } from '../../user-code/call-handler.ts';
import type { CallContext } from '../calls/call-context.ts';
import { fieldsOf } from '../read/plan-filter-and-order.ts';
import type { RecordEngine } from '../read/record-engine.ts';
import { checkedTree, intersect, segmentCondition } from '../read/record-filter.ts';
import { defaultSearch } from './default-search.ts';
import { createRelatedTerms } from './related-terms.ts';
import { codeAudience, type SearchAudience } from './search-audience.ts';
import { namedField, pathOfName } from './search-fields.ts';

/**
 * Characters of the search of a request. People type fewer, and the longest e-mail address has 254. A database compares the text with
 * every row, so a longer one costs in proportion. Code may search for any text.
 */
export const longestSearch = 256;

/** A text to look for, not blank. */
interface Search {
  readonly text: string;
  /** Whether it looks behind to-one relations, as far as those are readable. */
  readonly isExtended: boolean;
}

/** The condition of a search, in original names: what the customization says, else the default one. */
async function searchCondition(
  engine: RecordEngine,
  collection: CompiledCollection,
  { text, isExtended }: Search,
  audience: SearchAudience,
  call: CallContext,
): Promise<ConditionTree | undefined> {
  const { model } = engine;
  const handler = collection.search;
  const { timezone } = call.caller;
  const related = createRelatedTerms(engine, collection, call, audience.scopes);
  // A search of the project's own may look anywhere.
  const ahead = handler
    ? model.collections.keys()
    : collectionsAhead(engine, collection, { text, isExtended }, audience);
  const readable = await audience.readable(ahead);
  const setting = { model, collection, readable, timezone, related, fieldNames: audience.fieldNames };
  const settled = async (tree: ConditionTree) => {
    const condition = await related.settle(tree);
    return audience.scopes ? audience.scopes.filter(collection, condition) : condition;
  };
  if (!handler) return settled(defaultSearch(setting, text, { extended: isExtended }));
  const subject = `The search of "${collection.name}"`;
  const context = {
    ...engine.contextOf(collection, call),
    generateSearchFilter: (search: string, options?: SearchOptions) =>
      // Its paths have been looked up in the collection.
      generated(subject, () => defaultSearch(setting, search, options)) as GeneratedCondition,
  };
  const tree = await callHandler(subject, () => handler(text, isExtended, context));
  const checked = tree === null || tree === undefined ? undefined : checkedTree(engine, collection, tree, subject);
  if (audience.scopes) call.noteSearched?.(new Set(fieldsOf(checked)));
  return checked && settled(checked);
}

/** An option that names no field is the customization's mistake, not the caller's. */
function generated(subject: string, generate: () => ConditionTree): ConditionTree {
  try {
    return generate();
  } catch (error) {
    if (!isCloudError(error)) throw error;
    throw customizationFailed(`${subject} asked for something that is not there: ${error.message}`, error);
  }
}

/** The other collections that the default search would look into. */
function collectionsAhead(
  { model }: RecordEngine,
  collection: CompiledCollection,
  { text, isExtended }: Search,
  audience: SearchAudience,
): ReadonlySet<string> {
  const related = isExtended ? toOneRelations(model, collection).map(({ foreign }) => foreign.name) : [];
  const named = termsOf(parseSearch(text)).flatMap(({ property }) => {
    const path = property === undefined ? undefined : pathOfName(model, collection, property, audience);
    return (path === undefined ? undefined : namedField(model, collection, path).foreign) ?? [];
  });
  return new Set([...related, ...named]);
}

/** Which records are meant, in original names; its condition has been checked. */
interface EngineFilter {
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
