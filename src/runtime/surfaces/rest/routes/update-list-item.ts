import { invalidRequest } from '#kernel/errors/request-errors';
import { unpackId } from '../../../model/packed-id.ts';
import { collectionAt } from '../call/collection-at.ts';
import { PathUnknown, type Route } from '../call/route.ts';
import { memberOf } from '../parse/json-object.ts';
import { idInPath } from '../parse/named-ids.ts';

/** Replace one item of a column that holds a list, or add one behind the last. */
export const updateListItemRoute: Route = {
  method: 'PUT',
  path: '/:collection/:id/relationships/:column/:index',
  activity: { action: 'update', recordIds: idInPath },
  answer: async ({ params, body, state, context }) => {
    const collection = collectionAt(state.model, params['collection']);
    if (!/^\d+$/.test(params['index'] ?? '')) throw new PathUnknown();
    const callContext = context();
    const item = memberOf(memberOf(body, 'data'), 'attributes');
    if (item === undefined) throw invalidRequest('The body has no data.attributes.', 'Send the item there.');
    const place = {
      collection: collection.name,
      id: unpackId(collection, params['id']),
      column: params['column'] ?? '',
      index: Number(params['index']),
    };
    await state.recordService.updateListItem(place, item, callContext);
    return { status: 204 };
  },
};
