import type { ContextFilter } from '../../customizer/customization-context.ts';
import type { CompiledCollection } from '../../model/compiled-model.ts';
import { keyOrder } from '../../model/key-order.ts';
import { packId } from '../../model/record-id.ts';
import type { CallContext } from '../calls/call-context.ts';
import { recordBatches } from '../read/record-batches.ts';
import type { RecordEngine } from '../read/record-engine.ts';

/** The ids of all records that a filter in original names selects, read in batches; `undefined` where there is no key. */
export async function selectedIds(
  engine: RecordEngine,
  collection: CompiledCollection,
  { conditionTree: where }: ContextFilter,
  context: CallContext,
): Promise<readonly string[] | undefined> {
  const { primaryKey: projection } = collection;
  if (projection.length === 0) return undefined;
  const ids: string[] = [];
  for await (const batch of recordBatches(
    engine,
    collection,
    { projection, where, sort: keyOrder(collection) },
    context,
  )) {
    for (const record of batch) ids.push(packId(collection, record));
  }
  return ids;
}
