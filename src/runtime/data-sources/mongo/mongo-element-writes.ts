import type { MongoDocument, MongoStatements } from '#kernel/ports/mongo-database';
import { constraintViolated, writeRefused } from '#node/database/database-errors';
import { plainValue } from '#node/mongo/mongo-bson-values';
import type { RecordData } from '../../query/record-query.ts';
import type { QueryContext } from '../interface/data-source.ts';
import { changedValues, newDocument } from './document-patches.ts';
import { columnNamed, elementKey, type MongoCollection, type MongoModel, storedColumns } from './document-source.ts';
import { decodeValue, encodeValue, newKey } from './document-values.ts';
import { nowIn, QueryPipeline } from './mongo-pipeline.ts';
import type { ChosenRecords, MongoRunner } from './mongo-runner.ts';

/** Writes to records that are elements of arrays with ids of their own: each changes its element of the document, and no other. */
export function createElementWrites(runner: MongoRunner, model: MongoModel) {
  /** Write each chosen element, by its id and that of its document. */
  const writeEach = (
    { collection, where, context, tell }: ChosenRecords,
    write: (statements: MongoStatements, filter: MongoDocument, id: unknown) => Promise<number>,
  ): Promise<number> =>
    runner.together(async (statements) => {
      const pipeline = new QueryPipeline(model, collection, nowIn(context));
      pipeline.match(where);
      pipeline.add({ $project: { _id: 1, parentId: 1, element: '$element._id' } });
      const { source, schema } = collection;
      const keyColumn = columnNamed(collection, schema.primaryKey[0] ?? '');
      const written: RecordData[] = [];
      for (const { _id, parentId, element } of await statements.aggregate(
        source.collection,
        pipeline.stages,
        context,
      )) {
        const filter = { _id: parentId, [`${source.element?.path}._id`]: element };
        if ((await write(statements, filter, element)) > 0) {
          written.push({ [keyColumn.name]: decodeValue(keyColumn, _id) });
        }
      }
      tell?.(written);
      return written.length;
    }, context);

  return {
    create: (collection: MongoCollection, records: readonly RecordData[], context: QueryContext) =>
      runner.together(async (statements) => {
        const created: RecordData[] = [];
        for (const record of records) created.push(await pushElement(statements, collection, record, context));
        return created;
      }, context),
    update(chosen: ChosenRecords, patch: RecordData): Promise<number> {
      const { source } = chosen.collection;
      const changes = changedValues(chosen.collection, patch);
      for (const path of changes.keys()) if (!path.startsWith('element.')) throw fixedColumn(chosen.collection, path);
      const position = `${source.element?.path}.$[changed]`;
      const $set = Object.fromEntries(
        [...changes].map(([path, value]) => [path.replace(/^element/, () => position), value]),
      );
      return writeEach(chosen, (statements, filter, id) =>
        statements.update(
          source.collection,
          filter,
          { $set },
          { ...chosen.context, arrayFilters: [{ 'changed._id': id }] },
        ),
      );
    },
    remove(chosen: ChosenRecords): Promise<number> {
      const { collection, element } = chosen.collection.source;
      return writeEach(chosen, (statements, filter, id) =>
        statements.update(collection, filter, { $pull: { [element?.path ?? '']: { _id: id } } }, chosen.context),
      );
    },
  };
}

async function pushElement(
  statements: MongoStatements,
  collection: MongoCollection,
  record: RecordData,
  context: QueryContext,
): Promise<RecordData> {
  const { source, schema } = collection;
  const path = source.element?.path ?? '';
  const parent = encodeValue(columnNamed(collection, 'parentId'), record['parentId']);
  const { element: given } = newDocument(collection, record);
  const element: Record<string, unknown> = {
    _id: newKey({ nativeType: 'objectId' }),
    ...(given as object | undefined),
  };
  // Where the document has null in place of the array, `$push` would be refused.
  const elements = { $concatArrays: [{ $ifNull: [`$${path}`, []] }, [{ $literal: element }]] };
  const found = await statements.update(source.collection, { _id: parent }, [{ $set: { [path]: elements } }], context);
  if (found === 0) {
    throw constraintViolated({ rule: 'a reference: the document it belongs to does not exist', fields: ['parentId'] });
  }
  const [key = ''] = schema.primaryKey;
  const shown = { parentId: parent, element };
  const values = storedColumns(collection).map(([column, place]) => [
    column.name,
    decodeValue(
      column,
      place.split('.').reduce<unknown>((holder, step) => (holder as MongoDocument)?.[step], shown),
    ),
  ]);
  const id = elementKey(path, String(plainValue(parent)), String(plainValue(element['_id'])));
  return { ...Object.fromEntries(values), [key]: id };
}

function fixedColumn({ source }: MongoCollection, path: string): Error {
  const fields = [...source.paths].flatMap(([name, place]) => (place === path ? [name] : []));
  return writeRefused({ code: 'DATABASE_VALUE_REFUSED', problem: 'says where the element is, and stays', fields });
}
