import { unpackId } from '../../../model/record-id.ts';
import type { Route } from '../call/route.ts';
import { idInPath } from '../parse/named-ids.ts';

/** Take back that a record was deleted, where deletion marks records. */
export const restoreRecordRoute: Route = {
  method: 'POST',
  path: '/:collection/:id/restore',
  activity: { action: 'update', label: () => 'restore', recordIds: idInPath },
  answer: async (call) => {
    const { params, state, context } = call;
    const collection = call.collection();
    await state.recordService.restore(collection.name, () => unpackId(collection, params['id']), context());
    return { status: 204 };
  },
};
