import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Caller } from '../../customizer/caller.ts';
import type { ContextFilter } from '../../customizer/customization-context.ts';
import { checkConditionTree } from '../../model/check-query.ts';
import { type CompiledCollection, type CompiledModel, columnOf, relationNamed } from '../../model/compiled-model.ts';
import { toOneRelations } from '../../model/default-projection.ts';
import { resolvePath } from '../../model/field-path.ts';
import { pageOrder } from '../../model/key-order.ts';
import { conditionOfKeys, idCondition, mayShareIds, soleRecord } from '../../model/record-id.ts';
import { type ConditionTree, frozenTree } from '../../query/condition-tree.ts';
import type { Page, SortClause } from '../../query/record-query.ts';
import { type CallContext, callOfOthers, readInput } from '../calls/call-context.ts';
import { createPathShaper } from '../read/plan-projection.ts';
import { intersect, type NeededRights, scopeCondition } from '../read/record-filter.ts';
import { relatedCondition, type ToManyRelation } from '../read/related-condition.ts';
import { callerAudience, readableAmong } from '../search/search-audience.ts';
import { filterTree, longestSearch } from '../search/search-condition.ts';
import type { RelationEnd } from './link-service.ts';
import { liveSegmentCondition } from './live-segment.ts';
import type { PlanContext } from './planned-query.ts';
import type { RecordQuery } from './record-service.ts';
import { RelatedScopes } from './related-scopes.ts';

export type FilterQuery = Pick<
  RecordQuery,
  'where' | 'keys' | 'search' | 'isSearchExtended' | 'segment' | 'liveSegment' | 'relatedTo'
>;

export interface PlannedSelection {
  /** In original names. */
  readonly where: ConditionTree | undefined;
  /** The collections that the paths of the request's own condition end in, beside the root. */
  readonly foreignCollections: ReadonlySet<string>;
}

/** Bring filter, search, segment and the scope of what is needed together in one condition. */
export async function planSelection(
  context: PlanContext,
  collection: CompiledCollection,
  query: FilterQuery,
  needed: NeededRights,
  call: CallContext,
): Promise<PlannedSelection> {
  const { model, authoriser, engine } = context;
  const { where: sent, foreignCollections } = query.where
    ? checkedWhere(query.where, collection, model)
    : unconditional;
  const original = engine.collectionNamed(collection.name);
  const scopes = new RelatedScopes(context, call);
  requireSoftDeletes(collection, call);
  const isSearching = (query.search ?? '').trim() !== '';
  if (isSearching && !collection.isSearchable) {
    throw invalidParameter('search', `The collection "${collection.name}" cannot be searched.`);
  }
  const { length } = query.search ?? '';
  if (length > longestSearch) {
    const message = `The search has ${length} characters, and at most ${longestSearch} are looked for.`;
    throw invalidParameter('search', message);
  }
  const where = sent && (await scopes.filter(original, sent));
  const ofKeys = query.keys && conditionOfKeys(original.primaryKey, query.keys);
  const chosen = intersect([where, ofKeys]);
  const asked =
    isSearching || query.segment
      ? await filterTree(
          engine,
          original,
          { ...query, where: chosen },
          call,
          callerAudience(model, authoriser, call.caller, scopes, collection.search !== undefined),
        )
      : chosen;
  const scope = await scopeCondition(model, collection, authoriser, call.caller, needed);
  const related = query.relatedTo && (await relatedTo(context, query.relatedTo, call));
  const live = query.liveSegment && (await liveSegmentCondition(context, collection, query.liveSegment, call));
  return { where: intersect([asked, scope, related, live]), foreignCollections };
}

const unconditional = { where: undefined, foreignCollections: new Set<string>() };

/** A condition of a request, checked, and in original names. */
function checkedWhere(where: ConditionTree, collection: CompiledCollection, model: CompiledModel) {
  const foreignCollections: ReadonlySet<string> = checkConditionTree(model, collection, where);
  return { where: model.names.originalTree(collection.name, where), foreignCollections };
}

/** A record that is not there, or out of scope, has no related ones. */
async function relatedTo(context: PlanContext, end: RelationEnd, call: CallContext): Promise<ConditionTree> {
  const { model, engine, authoriser } = context;
  const { collection } = relationNamed(model, end.collection, end.relation, ['OneToMany', 'ManyToMany']);
  const owner = engine.collectionNamed(collection.name);
  const relation = owner.fields.get(model.names.originalPath(collection.name, end.relation)) as ToManyRelation;
  const pairs = relation.kind === 'ManyToMany' ? relation.originJoin : relation.join;
  const scope = await scopeCondition(model, collection, authoriser, call.caller, 'read');
  const id = model.names.originalTree(collection.name, idCondition(collection, readInput(end.id)));
  const projection = pairs.map(({ local }) => local);
  const asked = { where: intersect([id, scope]), projection, page: pageOfKey(owner) };
  const found = soleRecord(owner, await engine.list(owner, asked, callOfOthers(call)));
  if (!found) return { aggregator: 'Or', conditions: [] };
  const parent = createPathShaper(engine.model, owner, projection)(found);
  return relatedCondition(engine, relation, owner, parent, call);
}

/** The collections behind to-one relations that the caller may read. */
export function readableRelations(
  { model, authoriser }: PlanContext,
  collection: CompiledCollection,
  caller: Caller,
): Promise<ReadonlySet<string>> {
  const names = toOneRelations(model, collection).map(({ foreign }) => foreign.name);
  return readableAmong(authoriser, caller, names);
}

export interface PlannedSort {
  /** In original names. */
  readonly clauses: readonly SortClause[];
  readonly foreignCollections: ReadonlySet<string>;
}

/** Check a sort, and make the order total by the primary key, so that pages neither repeat nor lose records. */
export function planSort(
  { model, engine }: Pick<PlanContext, 'model' | 'engine'>,
  collection: CompiledCollection,
  sort: readonly SortClause[],
): PlannedSort {
  const foreignCollections = new Set<string>();
  for (const { field: path } of sort) {
    const { field, relationPath, collection: owner } = resolvePath(model, collection, path);
    if (!columnOf(field).isSortable) throw invalidParameter('sort', `Records cannot be sorted by "${path}".`);
    if (relationPath !== '') foreignCollections.add(owner.name);
  }
  const original = engine.collectionNamed(collection.name);
  const last = sort.at(-1);
  if (!last) return { clauses: ownOrder(original), foreignCollections };
  const asked = sort.map((clause) => ({ ...clause, field: model.names.originalPath(collection.name, clause.field) }));
  const keys = pageOrder(original)
    .filter((key) => asked.every(({ field }) => field !== key.field))
    .map((key) => ({ ...key, ascending: last.ascending }));
  return { clauses: [...asked, ...keys], foreignCollections };
}

/** The order of a list that asks for none: by the key, unless code has changed how the key is sorted by, which may be costly. */
function ownOrder(collection: CompiledCollection): readonly SortClause[] {
  const keys = pageOrder(collection);
  return keys.some(({ field }) => collection.rules.get(field)?.sort !== undefined) ? [] : keys;
}

function invalidParameter(parameter: string, message: string): CloudError {
  return cloudError('REQUEST_INVALID', message, `Correct the "${parameter}" parameter.`, { details: { parameter } });
}

/** Throws `REQUEST_INVALID` where a call asks for the deleted records of a collection whose records deletion removes. */
export function requireSoftDeletes({ name, native }: CompiledCollection, { deleted }: CallContext): void {
  if (deleted?.collection !== name || native.softDelete) return;
  throw cloudError(
    'REQUEST_INVALID',
    `Deletion removes the records of "${name}"; there are no deleted ones.`,
    ['Leave out the "deleted" parameter.', 'Set "softDelete" of the data source, so that deletion marks records.'],
    { details: { parameter: 'deleted' } },
  );
}

const pageOfOne: Page = { skip: 0, limit: 1 };
const pageOfTwo: Page = { skip: 0, limit: 2 };

/** The page to read one record with: a second record may have the same id. */
export function pageOfKey(collection: CompiledCollection): Page {
  return mayShareIds(collection) ? pageOfTwo : pageOfOne;
}

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
