import { unpackId } from '../../../model/record-id.ts';
import type { Route } from '../call/route.ts';
import { contextWithDeleted, parseProjection, projectionHeader } from '../parse/list-parameters.ts';
import { idInPath } from '../parse/named-ids.ts';
import { recordDocument } from '../render/json-api.ts';

/** One record by its packed id. */
export const getRecordRoute: Route = {
  method: 'GET',
  path: '/:collection/:id',
  activity: { action: 'read', recordIds: idInPath },
  answer: async (call) => {
    const { params, query, headers, state, prefix, context } = call;
    const collection = call.collection();
    const record = await state.recordService.get(
      collection.name,
      () => unpackId(collection, params['id']),
      () => parseProjection(collection, query, projectionHeader(headers)),
      contextWithDeleted(context(), collection, query),
    );
    return { status: 200, body: recordDocument(state.model, collection, record, prefix) };
  },
};
