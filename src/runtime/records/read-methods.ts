import { type CompiledCollection, collectionNamed } from '../model/compiled-model.ts';
import { keyTemplate, keyValues, recordNotFound, soleRecord } from '../model/record-id.ts';
import { createPlanCache } from '../query/plan-cache.ts';
import type { RecordData } from '../query/record-query.ts';
import { type CallContext, readInput } from './calls/call-context.ts';
import { pageMethod } from './page-method.ts';
import { intersect } from './read/record-filter.ts';
import { runHooks } from './read/run-hooks.ts';
import { explainQuery } from './request/explain-query.ts';
import { createListPlanner, planList } from './request/plan-list.ts';
import { contextFilter, pageOfKey, requireSoftDeletes } from './request/plan-query.ts';
import type { ListPlan } from './request/planned-query.ts';
import { readList, readOne } from './request/read-list.ts';
import { originalId, type RecordReader, scopeOf } from './request/record-reader.ts';
import type { RecordService } from './request/record-service.ts';
import { settleList } from './settle-list.ts';

type ReadMethods = Pick<RecordService, 'list' | 'page' | 'planList' | 'explain' | 'count' | 'get'>;

const maxRecordPlans = 500;

/** The methods that read records. Each asks for its right first, then reads its input. */
export function readMethods(reader: RecordReader): ReadMethods {
  const { model, authoriser, engine } = reader;
  const scopedId = async (collection: CompiledCollection, id: readonly unknown[], context: CallContext) =>
    intersect([originalId(reader, collection, id), await scopeOf(reader, collection, 'read', context)]);
  const planOfRecord = createRecordPlanner(reader);
  /** One record, by a plan that serves every key. */
  const getByKey = async (
    collection: CompiledCollection,
    projection: readonly string[],
    key: readonly unknown[],
    context: CallContext,
  ): Promise<RecordData | undefined> => {
    const plan = planOfRecord(projection, collection);
    return soleRecord(collection, await plan.list(key, pageOfKey(collection), context));
  };
  return {
    async list(asked, context) {
      const collection = collectionNamed(model, asked.collection);
      await authoriser.require(context.caller, collection.name, 'browse');
      const query = 'read' in asked ? asked.read() : asked;
      if ('plan' in query) return query.plan.list(query.values, query.page, context);
      const { plan, fetched } = await settleList(reader, collection, query, context);
      return readList(reader, { collection, plan }, fetched, query, context);
    },
    page: pageMethod(reader),
    planList: createListPlanner(reader),
    async explain(asked, context) {
      const collection = collectionNamed(model, asked.collection);
      await authoriser.require(context.caller, collection.name, 'browse');
      const query = 'read' in asked ? asked.read() : asked;
      const { plan, fetched } = await settleList(reader, collection, query, context);
      const original = engine.collectionNamed(collection.name);
      return explainQuery(engine, original, { ...fetched, projection: plan.projection }, context);
    },
    async count(asked, context) {
      const collection = collectionNamed(model, asked.collection);
      await authoriser.require(context.caller, collection.name, 'browse');
      const query = 'read' in asked ? asked.read() : asked;
      const where = await reader.filterOf(collection, query, 'browse', context);
      const original = engine.collectionNamed(collection.name);
      const facts = {
        filter: Object.freeze(contextFilter(where, query)),
        aggregation: { operation: 'Count' as const },
        limit: undefined,
      };
      await runHooks(engine, original, 'Before', 'Aggregate', facts, context);
      const count = await engine.count(original, where, context);
      const aggregateResult = [{ value: count, group: {} }];
      await runHooks(engine, original, 'After', 'Aggregate', { ...facts, aggregateResult }, context);
      return count;
    },
    async get(name, id, projection, context) {
      const collection = collectionNamed(model, name);
      await authoriser.require(context.caller, name, 'read');
      const key = readInput(id);
      const paths = readInput(projection);
      requireSoftDeletes(collection, context);
      const record = paths
        ? await getByKey(collection, paths, keyValues(collection, key), context)
        : await readOne(reader, collection, await scopedId(collection, key, context), context);
      if (!record) throw recordNotFound(collection);
      return record;
    },
  };
}

/** Plans the read of one record, whatever its key is. */
function createRecordPlanner(
  reader: RecordReader,
): (paths: readonly string[], collection: CompiledCollection) => ListPlan {
  const plans = createPlanCache<ListPlan>(maxRecordPlans);
  // The paths of a remembered query are frozen.
  const known = new WeakMap<readonly string[], { readonly collection: CompiledCollection; readonly plan: ListPlan }>();
  return (paths, collection) => {
    const found = known.get(paths);
    if (found?.collection === collection) return found.plan;
    const plan = plans.memo(JSON.stringify([collection.name, paths]), {
      context: () =>
        planList(reader, collection, { projection: paths, filter: keyTemplate(collection), sort: [] }, 'read'),
    });
    if (Object.isFrozen(paths)) known.set(paths, { collection, plan });
    return plan;
  };
}
