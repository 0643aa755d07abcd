import type { MongoDatabase, MongoStatements } from '#kernel/ports/mongo-database';
import { interrupted } from '#node/database/database-errors';
import type { QueryContext, RecordStore, TransactionalStore } from '../interface/data-source.ts';
import { collectionNamed, type MongoModel } from './document-source.ts';
import { planAggregate } from './mongo-aggregate.ts';
import { nowIn, QueryPipeline } from './mongo-pipeline.ts';
import { planList } from './mongo-reads.ts';
import type { MongoRunner } from './mongo-runner.ts';
import { createMongoWrites } from './mongo-writes.ts';

/** Reads and writes the records of a database. */
export function createMongoStore(database: MongoDatabase, model: MongoModel, isAtomic: boolean): TransactionalStore {
  const onDatabase: MongoRunner = {
    statements: database,
    together: (work, context) => database.transaction(work, { ...context, isRepeatable: true }),
    isAtomic,
  };
  return {
    ...createRecordStore(onDatabase, model),
    transaction: (work, context) =>
      database.transaction(
        (statements) => work(createRecordStore(withinTransaction(statements, isAtomic), model)),
        context,
      ),
  };
}

function withinTransaction(statements: MongoStatements, isAtomic: boolean): MongoRunner {
  return { statements, together: (work) => work(statements), isAtomic };
}

function createRecordStore(runner: MongoRunner, model: MongoModel): RecordStore {
  const begin = (name: string, context: QueryContext) => {
    if (context.signal?.aborted) throw interrupted();
    const collection = collectionNamed(model, name);
    const pipeline = new QueryPipeline(model, collection, nowIn(context));
    const run = () => runner.statements.aggregate(collection.source.collection, pipeline.stages, context);
    return { pipeline, run };
  };
  return {
    tellsKeys: true,
    async list(query, context) {
      const { pipeline, run } = begin(query.collection, context);
      const read = planList(pipeline, query);
      return (await run()).map(read);
    },
    async count(collection, where, context) {
      const { pipeline, run } = begin(collection, context);
      pipeline.match(where);
      pipeline.add({ $count: 'count' });
      const [row] = await run();
      return Number(row?.['count'] ?? 0);
    },
    async aggregate({ collection, where, aggregation, limit }, context) {
      const { pipeline, run } = begin(collection, context);
      pipeline.match(where);
      const read = planAggregate(pipeline, aggregation, context.timezone, limit);
      return read(await run());
    },
    ...createMongoWrites(runner, model),
  };
}
