import type { Route } from '../call/route.ts';
import { parseRecordToCreate } from '../parse/record-body.ts';
import { recordDocument } from '../render/json-api.ts';

/** Create a record; answers with it and the keys of the records it was linked to. */
export const createRecordRoute: Route = {
  method: 'POST',
  path: '/:collection',
  activity: { action: 'create' },
  answer: async (call) => {
    const { model, recordService } = call.state;
    const collection = call.collection();
    const read = () => parseRecordToCreate(model, collection, call.body);
    const { record, holders } = await recordService.createLinked(collection.name, read, call.context());
    // The holders were linked after the record had been read.
    const document = recordDocument(model, collection, { ...record, ...holders }, call.prefix);
    return { status: 200, body: document };
  },
};
