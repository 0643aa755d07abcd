import { unpackId } from '../../../model/record-id.ts';
import type { Route } from '../call/route.ts';
import { idInPath } from '../parse/named-ids.ts';
import { parsePatch } from '../parse/record-body.ts';
import { recordDocument } from '../render/json-api.ts';

/** Write some columns of a record. Where there is no such record the answer is a document of none, with 200. */
export const updateRecordRoute: Route = {
  method: 'PUT',
  path: '/:collection/:id',
  activity: { action: 'update', recordIds: idInPath },
  answer: async (call) => {
    const { params, body, state, prefix, context } = call;
    const collection = call.collection();
    const record = await state.recordService.update(
      collection.name,
      () => unpackId(collection, params['id']),
      () => parsePatch(collection, body),
      context(),
    );
    return { status: 200, body: recordDocument(state.model, collection, record, prefix) };
  },
};
