import { collectionNamed, writableCollection } from '../model/collection-named.ts';
import type { CompiledCollection, CompiledModel } from '../model/compiled-model.ts';
import { idCondition, recordNotFound } from '../model/id-condition.ts';
import type { Authoriser } from '../permissions/authoriser.ts';
import type { ConditionTree } from '../query/condition-tree.ts';
import type { RecordData } from '../query/record-query.ts';
import type { CallContext } from './calls/call-context.ts';
import { createContextDataSource } from './context/create-context.ts';
import { createLinkService } from './links/create-link-service.ts';
import { writeOn } from './links/link-ends.ts';
import { intersect, scopeCondition } from './read/record-filter.ts';
import { hasHooks, runHooks } from './read/run-hooks.ts';
import { aggregator } from './request/aggregate-query.ts';
import { contextFilter } from './request/context-filter.ts';
import { explainQuery } from './request/explain-query.ts';
import { exporter } from './request/export-records.ts';
import { planSort } from './request/plan-query.ts';
import { createRecordReader, type RecordReader } from './request/record-reader.ts';
import type { RecordQuery, RecordService } from './request/record-service.ts';
import { selectionCounter } from './request/selection-counter.ts';
import { updateListItem } from './update-list-item.ts';
import { createByRequest, deleteByRequest, type ReportError, updateByRequest } from './write/record-writes.ts';
import { writableAttributes } from './write/write-attributes.ts';

/**
 * The service every surface reads and writes records through: authorised, scoped, planned, executed.
 *
 * @param report what failed after a write was committed, for the log.
 */
export function createRecordService(
  model: CompiledModel,
  authoriser: Authoriser,
  report: ReportError = () => undefined,
): RecordService {
  const reader = createRecordReader(model, authoriser);
  return {
    ...readMethods(reader),
    exportRecords: exporter(reader),
    aggregate: aggregator(reader),
    ...writeMethods(reader, report),
    updateListItem: (place, item, context) => updateListItem({ reader, report, context }, place, item),
    ...contextMethods(reader),
    selectionCounter: (query, context) => selectionCounter(reader, query, context),
    ...createLinkService(reader, report),
  };
}

function readMethods(reader: RecordReader): Pick<RecordService, 'list' | 'explain' | 'count' | 'get'> {
  const { model, authoriser, engine } = reader;
  return {
    async list(query, context) {
      const { collection, original, plan, fetched } = await planList(reader, query, context);
      const filter = { ...contextFilter(fetched.where, query), sort: fetched.sort, page: fetched.page };
      const facts = { filter: Object.freeze(filter), projection: plan.projection };
      await runHooks(engine, original, 'Before', 'List', facts, context);
      if (!hasHooks(original, 'After', 'List')) return reader.fetch(collection, plan, fetched, context);
      const found = await engine.list(original, { ...fetched, projection: plan.projection }, context);
      const records = found.map(plan.unfold);
      await runHooks(engine, original, 'After', 'List', { ...facts, records: Object.freeze(records) }, context);
      return records.map(plan.publish);
    },
    async explain(query, context) {
      const { original, plan, fetched } = await planList(reader, query, context);
      return explainQuery(engine, original, { ...fetched, projection: plan.projection }, context);
    },
    async count(query, context) {
      const collection = collectionNamed(model, query.collection);
      await authoriser.require(context.caller, collection.name, 'browse');
      const where = await reader.filterOf(collection, query, context);
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
      const where = intersect([originalId(reader, collection, id), await scopeOf(reader, collection, context)]);
      const record = await reader.fetchOne(collection, where, projection, context);
      if (!record) throw recordNotFound(collection);
      return record;
    },
  };
}

/** A list request, the caller's rights on all that it names checked; what is fetched is in original names. */
async function planList(reader: RecordReader, query: RecordQuery, context: CallContext) {
  const { model, authoriser, engine } = reader;
  const collection = collectionNamed(model, query.collection);
  await authoriser.require(context.caller, collection.name, 'browse');
  const plan = await reader.planOf(collection, query.projection, context);
  const sort = planSort(reader, collection, query.sort ?? []);
  await authoriser.requireReadOn(context.caller, sort.foreignCollections);
  const where = await reader.filterOf(collection, query, context);
  const original = engine.collectionNamed(collection.name);
  return { collection, original, plan, fetched: { where, sort: sort.clauses, page: query.page } };
}

function writeMethods(reader: RecordReader, report: ReportError): Pick<RecordService, 'create' | 'update' | 'delete'> {
  const { model, authoriser, engine } = reader;
  const requestOn = (collection: CompiledCollection, context: CallContext) =>
    writeOn({ reader, report, context }, collection);
  return {
    async create(name, attributes, context) {
      const collection = writableCollection(model, name, 'create');
      await authoriser.require(context.caller, name, 'add');
      const record = original(reader, collection, writableAttributes(collection, attributes, undefined));
      const created = await createByRequest(requestOn(collection, context), record);
      const id = engine.collectionNamed(name).primaryKey.map((key) => created?.[key]);
      // Outside of the scope too: the caller has just written it.
      return (
        (await reader.fetchOne(collection, originalId(reader, collection, id), undefined, context)) ?? created ?? {}
      );
    },
    async update(name, id, patch, context) {
      const collection = writableCollection(model, name, 'update');
      await authoriser.require(context.caller, name, 'edit');
      const where = intersect([originalId(reader, collection, id), await scopeOf(reader, collection, context)]);
      const current = await reader.fetchOne(collection, where, undefined, context);
      if (!current) return null;
      const accepted = writableAttributes(collection, patch, current);
      const changes = original(reader, collection, accepted);
      if (Object.keys(changes).length === 0) return current;
      const updated = await updateByRequest(requestOn(collection, context), where, changes);
      if (updated === 0) return null;
      const newId = collection.primaryKey.map((key) => accepted[key] ?? current[key]);
      return (await reader.fetchOne(collection, originalId(reader, collection, newId), undefined, context)) ?? null;
    },
    async delete(name, where, context) {
      const collection = writableCollection(model, name, 'delete');
      await authoriser.require(context.caller, name, 'delete');
      const filter = await reader.filterOf(collection, { where }, context);
      return deleteByRequest(requestOn(collection, context), filter);
    },
  };
}

function contextMethods(reader: RecordReader): Pick<RecordService, 'contextOf' | 'dataSourceOf' | 'contextFilter'> {
  const { model, engine } = reader;
  return {
    contextOf: (name, context) => engine.contextOf(engine.collectionNamed(name), context),
    dataSourceOf: (context) => createContextDataSource(engine, context),
    contextFilter: async (query, context) => ({
      conditionTree: await reader.filterOf(collectionNamed(model, query.collection), query, context),
    }),
  };
}

function scopeOf({ model, authoriser }: RecordReader, collection: CompiledCollection, { caller }: CallContext) {
  return scopeCondition(model, collection, authoriser, caller);
}

/** The condition of one record in original names. */
function originalId({ model }: RecordReader, collection: CompiledCollection, id: readonly unknown[]): ConditionTree {
  return model.names.originalTree(collection.name, idCondition(collection, id));
}

/** Attributes by their original names. */
function original({ model }: RecordReader, collection: CompiledCollection, attributes: RecordData): RecordData {
  if (model.names.isIdentity) return attributes;
  const entries = Object.entries(attributes);
  return Object.fromEntries(entries.map(([name, value]) => [model.names.originalPath(collection.name, name), value]));
}
