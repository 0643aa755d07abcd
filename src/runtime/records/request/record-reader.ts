import { type MaybePromise, whenReady } from '#kernel/async/maybe-promise';
import type { CompiledCollection, CompiledModel } from '../../model/compiled-model.ts';
import { defaultProjection } from '../../model/default-projection.ts';
import { idCondition, soleRecord } from '../../model/record-id.ts';
import type { Authoriser } from '../../permissions/authoriser.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import { createPlanCache } from '../../query/plan-cache.ts';
import type { Page, RecordData, SortClause } from '../../query/record-query.ts';
import type { CallContext } from '../calls/call-context.ts';
import { createRecordEngine } from '../context/create-record-engine.ts';
import { type NeededRights, scopeCondition } from '../read/record-filter.ts';
import { type FilterQuery, pageOfKey, planSelection, readableRelations } from './plan-query.ts';
import type { PlanContext } from './planned-query.ts';
import { asStored, planRead, type ReadPlan } from './read-plan.ts';
import { RelatedScopes } from './related-scopes.ts';

const maxReadPlans = 500;

interface FetchQuery {
  readonly where?: ConditionTree | undefined;
  readonly sort?: readonly SortClause[] | undefined;
  readonly page?: Page | undefined;
  readonly stretches?: readonly ConditionTree[] | undefined;
}

/**
 * Plans and carries out reads, on behalf of methods that have asked for the right on the collection itself. Collections and
 * projections are published ones; conditions and sorts have been translated to original names.
 */
export interface RecordReader extends PlanContext {
  /** The plan of a projection; no right is asked for. Throws what `resolvePath` throws. */
  planRead(collection: CompiledCollection, projection: readonly string[]): ReadPlan;
  /** The plan of a projection, or of the default one, which leaves out relations the caller may not read. */
  planOf(
    collection: CompiledCollection,
    projection: readonly string[] | undefined,
    context: CallContext,
  ): MaybePromise<ReadPlan>;
  /** Filter, search, segment and the scope of what is needed in one condition, the caller's rights on its paths checked. */
  filterOf(
    collection: CompiledCollection,
    query: FilterQuery,
    needed: NeededRights,
    context: CallContext,
  ): Promise<ConditionTree | undefined>;
  fetch(
    collection: CompiledCollection,
    plan: ReadPlan,
    query: FetchQuery,
    context: CallContext,
  ): MaybePromise<RecordData[]>;
  /** What the scopes of the caller leave of related records. */
  scopesOf(context: CallContext): RelatedScopes;
  fetchOne(
    collection: CompiledCollection,
    where: ConditionTree | undefined,
    projection: readonly string[] | undefined,
    context: CallContext,
  ): Promise<RecordData | undefined>;
}

/** @param warn Logs what is slow in the code of the project. */
export function createRecordReader(
  model: CompiledModel,
  authoriser: Authoriser,
  warn: (message: string) => void,
): RecordReader {
  const plans = createPlanCache<ReadPlan>(maxReadPlans);
  const engine = createRecordEngine(model.original, warn);
  const planContext: PlanContext = { model, authoriser, engine };
  const reader: RecordReader = {
    ...planContext,
    planRead: cachedPlan,
    planOf(collection, projection, context) {
      if (!projection) return defaultPlan(collection, context);
      const plan = cachedPlan(collection, projection);
      if (plan.foreignCollections.size === 0) return shownPlan(collection, plan, context);
      return authoriser
        .requireReadOn(context.caller, plan.foreignCollections)
        .then(() => shownPlan(collection, plan, context));
    },
    scopesOf: (context) => new RelatedScopes(planContext, context),
    async filterOf(collection, query, needed, context) {
      const { where, foreignCollections } = await planSelection(planContext, collection, query, needed, context);
      await authoriser.requireReadOn(context.caller, foreignCollections);
      return where;
    },
    fetch(collection, { projection, present }, query, context) {
      const original = engine.collectionNamed(collection.name);
      const reading = engine.list(original, { ...query, projection }, context);
      return present === asStored ? reading : whenReady(reading, (records) => records.map(present));
    },
    async fetchOne(collection, where, projection, context) {
      const plan = await reader.planOf(collection, projection, context);
      return soleRecord(
        collection,
        await reader.fetch(collection, plan, { where, page: pageOfKey(collection) }, context),
      );
    },
  };

  async function defaultPlan(collection: CompiledCollection, context: CallContext): Promise<ReadPlan> {
    const readable = await readableRelations(planContext, collection, context.caller);
    const paths = defaultProjection(model, collection, (name) => readable.has(name));
    return shownPlan(collection, cachedPlan(collection, paths), context);
  }

  /** The plan without what the scopes of the caller hide behind relations. */
  function shownPlan(collection: CompiledCollection, plan: ReadPlan, context: CallContext): MaybePromise<ReadPlan> {
    return plan.reachedCollections.size === 0
      ? plan
      : new RelatedScopes(planContext, context).plan(engine.collectionNamed(collection.name), plan);
  }

  function cachedPlan(collection: CompiledCollection, paths: readonly string[]): ReadPlan {
    return plans.memo(JSON.stringify([collection.name, paths]), { context: () => planRead(model, collection, paths) });
  }

  return reader;
}

/** The scope in which a caller has what is needed on a collection, in original names. */
export function scopeOf(
  { model, authoriser }: RecordReader,
  collection: CompiledCollection,
  needed: NeededRights,
  { caller }: CallContext,
) {
  return scopeCondition(model, collection, authoriser, caller, needed);
}

/** The condition of one record in original names. */
export function originalId(
  { model }: RecordReader,
  collection: CompiledCollection,
  id: readonly unknown[],
): ConditionTree {
  return model.names.originalTree(collection.name, idCondition(collection, id));
}
