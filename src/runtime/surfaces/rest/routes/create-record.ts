import type { CompiledCollection } from '../../../model/compiled-model.ts';
import { packId } from '../../../model/packed-id.ts';
import type { RecordData } from '../../../query/record-query.ts';
import type { CallContext } from '../../../records/calls/call-context.ts';
import type { RecordService } from '../../../records/request/record-service.ts';
import { inUnitOfCall } from '../../../records/write/unit-of-call.ts';
import { collectionAt } from '../call/collection-at.ts';
import type { Route } from '../call/route.ts';
import { parseRecordToCreate, type RecordToCreate } from '../parse/record-body.ts';
import { recordDocument } from '../render/json-api.ts';

/** Create a record; answers with it and the keys of the records it was linked to. */
export const createRecordRoute: Route = {
  method: 'POST',
  path: '/:collection',
  activity: { action: 'create' },
  answer: async ({ params, body, state, prefix, context }) => {
    const { model, authoriser, recordService } = state;
    const collection = collectionAt(model, params['collection']);
    const callContext = context();
    await authoriser.require(callContext.caller, collection.name, 'add');
    const asked = parseRecordToCreate(model, collection, body);
    for (const holder of asked.holders) await authoriser.require(callContext.caller, holder.collection, 'edit');
    const attributes = await linkedAttributes(recordService, collection.name, asked, callContext);
    const record =
      asked.holders.length === 0
        ? await recordService.create(collection.name, attributes, callContext)
        : await createLinked(recordService, collection, { ...asked, attributes }, callContext);
    // Linked when the record had been read again already.
    const holders = Object.fromEntries(asked.holders.map(({ relation, key }) => [relation, key]));
    const document = recordDocument(model, collection, { ...record, ...holders }, prefix);
    return { status: 200, body: document, recordIds: [packId(collection, record)] };
  },
};

/** With the columns that lead to linked records; what the body says of a column itself counts more. */
async function linkedAttributes(
  recordService: RecordService,
  collection: string,
  { attributes, foreignKeys, references }: RecordToCreate,
  context: CallContext,
): Promise<RecordData> {
  const linked: Record<string, unknown> = { ...foreignKeys };
  for (const { relation, id } of references) {
    Object.assign(linked, await recordService.keysTo(collection, relation, id, context));
  }
  return { ...linked, ...attributes };
}

/** What holds the key of the new record may not be there, and then the new one must not be there either. */
function createLinked(
  recordService: RecordService,
  { name, primaryKey }: CompiledCollection,
  { attributes, holders }: RecordToCreate,
  context: CallContext,
): Promise<RecordData> {
  return inUnitOfCall(context, async (inside) => {
    const record = await recordService.create(name, attributes, inside);
    const id = primaryKey.map((column) => record[column]);
    for (const holder of holders) {
      await recordService.linkToOne({ collection: name, id, relation: holder.relation }, holder.id, inside);
    }
    return record;
  });
}
