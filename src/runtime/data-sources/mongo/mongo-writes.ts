import type { MongoDocument, MongoStatements } from '#kernel/ports/mongo-database';
import { constraintViolated, interrupted, refusedWriteOf, writeRefused } from '#node/database/database-errors';
import { type ConditionTree, isBranch } from '../../query/condition-tree.ts';
import type { RecordData } from '../../query/record-query.ts';
import type { QueryContext, RecordStore, TellKeys } from '../interface/data-source.ts';
import { changedValues, newDocument, settingStages } from './document-patches.ts';
import { collectionNamed, type MongoCollection, type MongoModel, storedColumns } from './document-source.ts';
import { decodeValue } from './document-values.ts';
import { createElementWrites } from './mongo-element-writes.ts';
import { nowIn, QueryPipeline } from './mongo-pipeline.ts';
import { project } from './mongo-reads.ts';
import type { ChosenRecords, MongoRunner } from './mongo-runner.ts';

/** A statement that changes the documents of a filter, and says how many it found. */
type Write = (statements: MongoStatements, filter: MongoDocument) => Promise<number>;

/** Creation, change and deletion of records. */
export function createMongoWrites(
  runner: MongoRunner,
  model: MongoModel,
): Pick<RecordStore, 'create' | 'update' | 'delete'> {
  const elements = createElementWrites(runner, model);
  const begin = (name: string, context: QueryContext): MongoCollection => {
    if (context.signal?.aborted) throw interrupted();
    return collectionNamed(model, name);
  };
  const write = (
    collection: MongoCollection,
    where: ConditionTree | undefined,
    context: QueryContext,
    tell: TellKeys | undefined,
    carryOut: Write,
  ) =>
    inWordsOfColumns(collection, () => writeDocuments(runner, model, { collection, where, context, tell }, carryOut));

  return {
    async create(name, records, context) {
      const collection = begin(name, context);
      if (collection.source.element) {
        return inWordsOfColumns(collection, () => elements.create(collection, records, context));
      }
      const documents = records.map((record) => newDocument(collection, record));
      if (documents.some(({ _id }) => _id === undefined || _id === null)) throw keyMissing(collection);
      const { collection: stored } = collection.source;
      await inWordsOfColumns(collection, () =>
        documents.length === 1
          ? runner.statements.insert(stored, documents, context)
          : runner.together((statements) => statements.insert(stored, documents, context), context),
      );
      return documents.map((document) => recordOf(collection, document));
    },
    async update(name, where, patch, context, tell) {
      const collection = begin(name, context);
      if (collection.source.element) {
        return inWordsOfColumns(collection, () => elements.update({ collection, where, context, tell }, patch));
      }
      const changes = changedValues(collection, patch);
      if (changes.size === 0) return 0;
      const { collection: stored } = collection.source;
      return write(collection, where, context, tell, (statements, filter) =>
        statements.update(stored, filter, settingStages(changes), context),
      );
    },
    async delete(name, where, context, tell) {
      const collection = begin(name, context);
      if (collection.source.element) {
        return inWordsOfColumns(collection, () => elements.remove({ collection, where, context, tell }));
      }
      const { collection: stored } = collection.source;
      return write(collection, where, context, tell, (statements, filter) =>
        statements.remove(stored, filter, context),
      );
    },
  };
}

/**
 * One statement where its filter says it all. Else the documents are looked for first, and then written by their keys, each only if it
 * still fulfils what the condition says of the document itself.
 */
async function writeDocuments(
  runner: MongoRunner,
  model: MongoModel,
  chosen: ChosenRecords,
  write: Write,
): Promise<number> {
  const { collection, where, context, tell } = chosen;
  const pipeline = new QueryPipeline(model, collection, nowIn(context));
  pipeline.match(where);
  const ownFilter = pipeline.ownFilter(where);
  if (!pipeline.hasLookups && !tell) {
    const isOne = namesOne(collection, where);
    if (isOne) return write(runner.statements, ownFilter);
    return runner.together((statements) => write(statements, ownFilter), context);
  }
  const readKey = project(pipeline, collection.schema.primaryKey, true);
  return runner.together(async (statements) => {
    const found = await statements.aggregate(collection.source.collection, pipeline.stages, context);
    const writeThose = (documents: readonly MongoDocument[]) =>
      write(statements, { $and: [{ _id: { $in: documents.map(({ _id }) => _id) } }, ownFilter] });
    if (runner.isAtomic) {
      const count = await writeThose(found);
      tell?.(found.map(readKey));
      return count;
    }
    // Without transactions only the answer to each write says which documents it found.
    const written: MongoDocument[] = [];
    for (const document of found) if ((await writeThose([document])) > 0) written.push(document);
    tell?.(written.map(readKey));
    return written.length;
  }, context);
}

/** The agent makes ids; other keys are for those who create records. */
function keyMissing({ schema }: MongoCollection): Error {
  return constraintViolated({ rule: 'a not-null rule: it must have a value', fields: schema.primaryKey });
}

/** Whether a condition is met by one record at most, as it names a key. */
function namesOne({ schema }: MongoCollection, where: ConditionTree | undefined): boolean {
  if (!where) return false;
  const parts = isBranch(where) && where.aggregator === 'And' ? where.conditions : [where];
  return schema.primaryKey.every((name) =>
    parts.some((part) => !isBranch(part) && part.field === name && part.operator === 'Equal'),
  );
}

function recordOf(collection: MongoCollection, document: MongoDocument): RecordData {
  return Object.fromEntries(
    storedColumns(collection).map(([column, path]) => [column.name, decodeValue(column, valueAt(document, path))]),
  );
}

function valueAt(document: MongoDocument, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((holder, step) => (holder as Record<string, unknown> | undefined)?.[step], document);
}

/** A refused write names places in the document; users know columns. */
async function inWordsOfColumns<Result>(collection: MongoCollection, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const refused = refusedWriteOf(error);
    if (!refused) throw error;
    const columns = storedColumns(collection);
    const fields = refused.fields.flatMap((path) =>
      columns.filter(([, place]) => place === path || place.startsWith(`${path}.`)).map(([column]) => column.name),
    );
    throw writeRefused({ ...refused, fields });
  }
}
