import type { Authoriser } from '../permissions/authoriser.ts';
import { collectionNamed, writableCollection } from './collection-named.ts';
import type { CompiledModel } from './compiled-model.ts';
import { idCondition, recordNotFound } from './id-condition.ts';
import { planSort } from './plan-query.ts';
import { intersect, scopeCondition } from './record-filter.ts';
import { createRecordReader, queryContext, type RecordReader } from './record-reader.ts';
import type { RecordService } from './record-service.ts';
import { writableAttributes } from './write-attributes.ts';

/** The service every surface reads and writes records through: authorised, scoped, planned, executed. */
export function createRecordService(model: CompiledModel, authoriser: Authoriser): RecordService {
  const reader = createRecordReader(model, authoriser);
  return { ...readMethods(reader), ...writeMethods(reader) };
}

function readMethods(reader: RecordReader): Pick<RecordService, 'list' | 'count' | 'get'> {
  const { model, authoriser } = reader;
  return {
    async list(query, context) {
      const collection = collectionNamed(model, query.collection);
      await authoriser.require(context.caller, collection.name, 'browse');
      const plan = await reader.planOf(collection, query.projection, context);
      const sort = planSort(reader, collection, query.sort ?? []);
      await authoriser.requireReadOn(context.caller, sort.foreignCollections);
      const where = await reader.filterOf(collection, query, context);
      return reader.fetch(collection, plan, { where, sort: sort.clauses, page: query.page }, context);
    },
    async count(query, context) {
      const collection = collectionNamed(model, query.collection);
      await authoriser.require(context.caller, collection.name, 'browse');
      const where = await reader.filterOf(collection, query, context);
      return collection.dataSource.count(collection.name, where, queryContext(context));
    },
    async get(name, id, projection, context) {
      const collection = collectionNamed(model, name);
      await authoriser.require(context.caller, name, 'read');
      const scope = await scopeCondition(model, collection, authoriser, context.caller);
      const where = intersect([idCondition(collection, id), scope]);
      const record = await reader.fetchOne(collection, where, projection, context);
      if (!record) throw recordNotFound(collection);
      return record;
    },
  };
}

function writeMethods(reader: RecordReader): Pick<RecordService, 'create' | 'update' | 'delete'> {
  const { model, authoriser } = reader;
  return {
    async create(name, attributes, context) {
      const collection = writableCollection(model, name);
      await authoriser.require(context.caller, name, 'add');
      const record = writableAttributes(collection, attributes, undefined);
      const [created] = await collection.dataSource.create(name, [record], queryContext(context));
      const id = collection.primaryKey.map((key) => created?.[key]);
      // Outside of the scope too: the caller has just written it.
      return (await reader.fetchOne(collection, idCondition(collection, id), undefined, context)) ?? created ?? {};
    },
    async update(name, id, patch, context) {
      const collection = writableCollection(model, name);
      await authoriser.require(context.caller, name, 'edit');
      const scope = await scopeCondition(model, collection, authoriser, context.caller);
      const where = intersect([idCondition(collection, id), scope]);
      const current = await reader.fetchOne(collection, where, undefined, context);
      if (!current) return null;
      const changes = writableAttributes(collection, patch, current);
      if (Object.keys(changes).length === 0) return current;
      const updated = await collection.dataSource.update(name, where, changes, queryContext(context));
      if (updated === 0) return null;
      const newId = collection.primaryKey.map((key) => changes[key] ?? current[key]);
      return (await reader.fetchOne(collection, idCondition(collection, newId), undefined, context)) ?? null;
    },
    async delete(name, where, context) {
      const collection = writableCollection(model, name);
      await authoriser.require(context.caller, name, 'delete');
      const filter = await reader.filterOf(collection, { where }, context);
      return collection.dataSource.delete(name, filter, queryContext(context));
    },
  };
}
