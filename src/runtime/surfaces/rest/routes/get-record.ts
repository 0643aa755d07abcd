import { unpackId } from '../../../model/packed-id.ts';
import { collectionAt } from '../call/collection-at.ts';
import type { Route } from '../call/route.ts';
import { idInPath } from '../parse/named-ids.ts';
import { parseProjection } from '../parse/projection.ts';
import { projectionHeader } from '../parse/projection-header.ts';
import { recordDocument } from '../render/json-api.ts';

/** One record by its packed id. */
export const getRecordRoute: Route = {
  method: 'GET',
  path: '/:collection/:id',
  activity: { action: 'read', recordIds: idInPath },
  answer: async ({ params, query, headers, state, prefix, context }) => {
    const collection = collectionAt(state.model, params['collection']);
    const record = await state.recordService.get(
      collection.name,
      () => unpackId(collection, params['id']),
      () => parseProjection(collection, query, projectionHeader(headers)),
      context(),
    );
    return { status: 200, body: recordDocument(state.model, collection, record, prefix) };
  },
};
