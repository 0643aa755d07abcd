import { collectionNamed } from '../../model/compiled-model.ts';
import { keyOrder } from '../../model/key-order.ts';
import { recordBatches } from '../read/record-batches.ts';
import { hasHooks, runHooks } from '../read/run-hooks.ts';
import { contextFilter } from './context-filter.ts';
import { planSort } from './plan-query.ts';
import type { RecordReader } from './record-reader.ts';
import type { RecordService } from './record-service.ts';

/** Reads everything that a query asks for, in batches that are published one by one. */
export function exporter(reader: RecordReader): RecordService['exportRecords'] {
  const { model, authoriser, engine } = reader;
  return async (asked, limit, context) => {
    const collection = collectionNamed(model, asked.collection);
    await authoriser.require(context.caller, collection.name, 'browse');
    await authoriser.require(context.caller, collection.name, 'export');
    const query = 'read' in asked ? asked.read() : asked;
    const plan = await reader.planOf(collection, query.projection, context);
    const wanted = planSort(reader, collection, query.sort ?? []);
    await authoriser.requireReadOn(context.caller, wanted.foreignCollections);
    const where = await reader.filterOf(collection, query, context);
    const original = engine.collectionNamed(collection.name);
    const sort = wanted.clauses.length > 0 ? wanted.clauses : keyOrder(original);
    const facts = {
      filter: Object.freeze({ ...contextFilter(where, query), sort }),
      projection: plan.projection,
    };
    await runHooks(engine, original, 'Before', 'List', facts, context);
    const fetched = { projection: plan.projection, where, sort };
    const batches = recordBatches(engine, original, fetched, context, limit);
    const hasAfterHooks = hasHooks(original, 'After', 'List');
    return (async function* published() {
      for await (const batch of batches) {
        if (!hasAfterHooks) {
          yield batch.map(plan.present);
          continue;
        }
        const records = batch.map(plan.unfold);
        await runHooks(engine, original, 'After', 'List', { ...facts, records: Object.freeze(records) }, context);
        yield records.map(plan.publish);
      }
    })();
  };
}
