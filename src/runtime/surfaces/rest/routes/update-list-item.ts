import { invalidRequest } from '#kernel/errors/request-errors';
import { unpackId } from '../../../model/record-id.ts';
import { PathUnknown, type Route } from '../call/route.ts';
import { memberOf } from '../parse/json-object.ts';
import { idInPath } from '../parse/named-ids.ts';

/** Replace one item of a column that holds a list, or add one behind the last. */
export const updateListItemRoute: Route = {
  method: 'PUT',
  path: '/:collection/:id/relationships/:column/:index',
  activity: { action: 'update', recordIds: idInPath },
  answer: async (call) => {
    const { params, body, state, context } = call;
    const collection = call.collection();
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
