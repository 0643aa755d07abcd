import { CloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { Authoriser } from '../permissions/authoriser.ts';
import type { ConditionTree } from '../query/condition-tree.ts';
import type { SortClause } from '../query/record-query.ts';
import type { Caller } from './caller.ts';
import { checkConditionTree } from './check-condition-tree.ts';
import type { CompiledCollection, CompiledModel } from './compiled-model.ts';
import { toOneRelations } from './default-projection.ts';
import { resolvePath } from './field-path.ts';
import { intersect, scopeCondition, segmentCondition } from './record-filter.ts';
import type { RecordQuery } from './record-service.ts';
import { searchCondition } from './search-condition.ts';

/** What plans are made with. */
export interface PlanContext {
  readonly model: CompiledModel;
  readonly authoriser: Authoriser;
}

export type FilterQuery = Pick<RecordQuery, 'where' | 'search' | 'isSearchExtended' | 'segment'>;

export interface PlannedFilter {
  readonly where: ConditionTree | undefined;
  /** The collections that the paths of the request's own condition end in, beside the root. */
  readonly foreignCollections: ReadonlySet<string>;
}

/** Bring filter, search, segment and scope together in one condition. */
export async function planFilter(
  { model, authoriser }: PlanContext,
  collection: CompiledCollection,
  query: FilterQuery,
  caller: Caller,
): Promise<PlannedFilter> {
  const foreignCollections = query.where ? checkConditionTree(model, collection, query.where) : new Set<string>();
  const search = await planSearch({ model, authoriser }, collection, query, caller);
  const segment = query.segment ? await segmentCondition(model, collection, query.segment, caller) : undefined;
  const scope = await scopeCondition(model, collection, authoriser, caller);
  return { where: intersect([query.where, search, segment, scope]), foreignCollections };
}

async function planSearch(
  { model, authoriser }: PlanContext,
  collection: CompiledCollection,
  query: FilterQuery,
  caller: Caller,
): Promise<ConditionTree | undefined> {
  const search = query.search ?? '';
  if (search.trim() === '') return undefined;
  if (!collection.isSearchable) {
    throw invalidParameter('search', `The collection "${collection.name}" cannot be searched.`);
  }
  const isExtended = query.isSearchExtended === true;
  const readable = isExtended ? await readableRelations({ model, authoriser }, collection, caller) : new Set<string>();
  return searchCondition(model, collection, search, isExtended, (name) => readable.has(name));
}

/** The collections behind to-one relations that the caller may read: what nobody named is left out, not refused. */
export async function readableRelations(
  { model, authoriser }: PlanContext,
  collection: CompiledCollection,
  caller: Caller,
): Promise<ReadonlySet<string>> {
  const names = new Set(toOneRelations(model, collection).map(({ foreign }) => foreign.name));
  for (const name of names) {
    try {
      await authoriser.requireReadOn(caller, [name]);
    } catch (error) {
      if (!isCloudError(error) || error.code !== 'REQUEST_FORBIDDEN') throw error;
      names.delete(name);
    }
  }
  return names;
}

/** Check a sort, and make the order total by the primary key, so that pages neither repeat nor lose records. */
export function planSort(
  { model }: Pick<PlanContext, 'model'>,
  collection: CompiledCollection,
  sort: readonly SortClause[],
): { readonly clauses: readonly SortClause[]; readonly foreignCollections: ReadonlySet<string> } {
  const foreignCollections = new Set<string>();
  for (const { field: path } of sort) {
    const { field, relationPath, collection: owner } = resolvePath(model, collection, path);
    const column = field.kind === 'computed' ? field.column : field;
    if (!column.isSortable) throw invalidParameter('sort', `Records cannot be sorted by "${path}".`);
    if (relationPath !== '') foreignCollections.add(owner.name);
  }
  if (sort.length === 0) return { clauses: [], foreignCollections };
  const keys = collection.primaryKey.filter((name) => sort.every((clause) => clause.field !== name));
  const lastDirection = sort.at(-1)?.ascending ?? true;
  return { clauses: [...sort, ...keys.map((field) => ({ field, ascending: lastDirection }))], foreignCollections };
}

function invalidParameter(parameter: string, message: string): CloudError {
  return new CloudError({
    code: 'REQUEST_INVALID',
    message,
    nextSteps: [`Correct the "${parameter}" parameter.`],
    details: { parameter },
  });
}
