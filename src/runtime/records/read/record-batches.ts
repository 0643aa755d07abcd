import type { CompiledCollection } from '../../model/compiled-model.ts';
import { keyOrder } from '../../model/key-order.ts';
import type { RecordData, SortClause } from '../../query/record-query.ts';
import type { CallContext } from '../calls/call-context.ts';
import { keysetOf } from './keyset.ts';
import type { EngineQuery, RecordEngine } from './record-engine.ts';

/** Few enough that a batch, which is read and written in one go, does not keep the requests of others waiting. */
const batchBehindKey = 200;
/** Where a batch has to skip those before it, fewer and larger ones cost less. */
const countedBatch = 1000;

/**
 * All records of a query in batches, in bounded memory. A batch begins after the last record of the one before it, so that each
 * costs the same however many came first. If the database cannot look for what comes after, or no key tells apart records that
 * are equal in the order, they are counted. Records without such a key are distinguished by all columns that can be sorted.
 *
 * @param limit how many records at most.
 */
export async function* recordBatches(
  engine: RecordEngine,
  collection: CompiledCollection,
  { projection, where, sort = [] }: EngineQuery,
  call: CallContext,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<readonly RecordData[]> {
  const isByKey = keyOrder(collection).length > 0 && !collection.native.isReadOnly;
  const total = isByKey ? sort : [...sort, ...everyColumn(collection)];
  const keyset = keysetOf(engine, collection, total);
  const order = keyset?.sort ?? total;
  const paths = [...new Set([...projection, ...(keyset?.fields ?? [])])];
  let last: RecordData | undefined;
  let sent = 0;
  while (sent < limit) {
    const place = keyset && last ? await keyset.placeOf(last, call) : undefined;
    const stretches = keyset && place ? keyset.after(place) : undefined;
    const page = { skip: stretches ? 0 : sent, limit: Math.min(keyset ? batchBehindKey : countedBatch, limit - sent) };
    const batch = await engine.list(collection, { projection: paths, where, stretches, sort: order, page }, call);
    if (batch.length > 0) yield batch;
    sent += batch.length;
    last = batch.at(-1);
    if (batch.length < page.limit) return;
  }
}

function everyColumn({ fields }: CompiledCollection): readonly SortClause[] {
  const columns = [...fields.values()].filter((field) => field.kind === 'column' && field.isSortable);
  return columns.map(({ name }) => ({ field: name, ascending: true }));
}
