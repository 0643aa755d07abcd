import type { QueryContext } from '../data-sources/data-source.ts';
import type { Authoriser } from '../permissions/authoriser.ts';
import type { ConditionTree } from '../query/condition-tree.ts';
import { createPlanCache } from '../query/plan-cache.ts';
import type { NativeQuery, RecordData } from '../query/record-query.ts';
import type { CompiledCollection, CompiledModel } from './compiled-model.ts';
import { computeFields } from './compute-fields.ts';
import { defaultProjection } from './default-projection.ts';
import { type FilterQuery, type PlanContext, planFilter, readableRelations } from './plan-query.ts';
import { planRead, type ReadPlan } from './read-plan.ts';
import type { CallContext } from './record-service.ts';

const maxReadPlans = 500;

/** Plans and carries out reads, on behalf of methods that have asked for the right on the collection itself. */
export interface RecordReader extends PlanContext {
  /** The plan of a projection, or of the default one, which leaves out relations the caller may not read. */
  planOf(
    collection: CompiledCollection,
    projection: readonly string[] | undefined,
    context: CallContext,
  ): Promise<ReadPlan>;
  /** Filter, search, segment and scope in one condition, the caller's rights on its paths checked. */
  filterOf(
    collection: CompiledCollection,
    query: FilterQuery,
    context: CallContext,
  ): Promise<ConditionTree | undefined>;
  fetch(
    collection: CompiledCollection,
    plan: ReadPlan,
    query: Omit<NativeQuery, 'collection' | 'projection'>,
    context: CallContext,
  ): Promise<RecordData[]>;
  fetchOne(
    collection: CompiledCollection,
    where: ConditionTree | undefined,
    projection: readonly string[] | undefined,
    context: CallContext,
  ): Promise<RecordData | undefined>;
}

export function createRecordReader(model: CompiledModel, authoriser: Authoriser): RecordReader {
  const plans = createPlanCache(maxReadPlans);
  const planContext = { model, authoriser };
  const reader: RecordReader = {
    ...planContext,
    async planOf(collection, projection, { caller }) {
      if (!projection) {
        const readable = await readableRelations(planContext, collection, caller);
        const paths = defaultProjection(model, collection, (name) => readable.has(name));
        return cachedPlan(collection, paths);
      }
      const plan = cachedPlan(collection, projection);
      await authoriser.requireReadOn(caller, plan.foreignCollections);
      return plan;
    },
    async filterOf(collection, query, { caller }) {
      const { where, foreignCollections } = await planFilter(planContext, collection, query, caller);
      await authoriser.requireReadOn(caller, foreignCollections);
      return where;
    },
    async fetch(collection, plan, query, context) {
      const native = { ...query, collection: collection.name, projection: plan.nativeProjection };
      const records = await collection.dataSource.list(native, queryContext(context));
      await computeFields(records, plan.steps);
      return records.map(plan.present);
    },
    async fetchOne(collection, where, projection, context) {
      const plan = await reader.planOf(collection, projection, context);
      const [record] = await reader.fetch(collection, plan, { where, page: { skip: 0, limit: 1 } }, context);
      return record;
    },
  };

  function cachedPlan(collection: CompiledCollection, paths: readonly string[]): ReadPlan {
    return plans.getOrMake(JSON.stringify([collection.name, paths]), () => planRead(model, collection, paths));
  }

  return reader;
}

export function queryContext(context: CallContext): QueryContext {
  return { timezone: context.caller.timezone, signal: context.signal };
}
