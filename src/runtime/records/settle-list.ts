import type { CompiledCollection } from '../model/compiled-model.ts';
import type { CallContext } from './calls/call-context.ts';
import { planSort } from './request/plan-query.ts';
import type { RecordReader } from './request/record-reader.ts';
import type { RecordQuery } from './request/record-service.ts';

/** Ask for the caller's rights on all that a list request names; what is fetched is in original names. */
export async function settleList(
  reader: RecordReader,
  collection: CompiledCollection,
  query: RecordQuery,
  context: CallContext,
) {
  const { authoriser } = reader;
  const plan = await reader.planOf(collection, query.projection, context);
  const sort = planSort(reader, collection, query.sort ?? []);
  await authoriser.requireReadOn(context.caller, sort.foreignCollections);
  const where = await reader.filterOf(collection, query, 'browse', context);
  const clauses = await reader.scopesOf(context).sort(reader.engine.collectionNamed(collection.name), sort.clauses);
  return { plan, fetched: { where, sort: clauses, page: query.page } };
}
