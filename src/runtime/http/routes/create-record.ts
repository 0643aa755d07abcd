import { collectionAt } from '../collection-at.ts';
import { recordDocument } from '../json-api.ts';
import { packId } from '../packed-id.ts';
import { parseRecordToCreate } from '../parse/record-body.ts';
import type { Route } from '../route.ts';

/** Create a record; answers with it and the keys of the records it was linked to. */
export const createRecordRoute: Route = {
  method: 'POST',
  path: '/:collection',
  activity: { action: 'create' },
  answer: async ({ params, body, state, prefix, context }) => {
    const collection = collectionAt(state.model, params['collection']);
    const callContext = context();
    await state.authoriser.require(callContext.caller, collection.name, 'add');
    const { attributes, linked } = parseRecordToCreate(state.model, collection, body);
    const record = await state.recordService.create(collection.name, attributes, callContext);
    const document = recordDocument(state.model, collection, { ...record, ...linked }, prefix);
    return { status: 200, body: document, recordIds: [packId(collection, record)] };
  },
};
