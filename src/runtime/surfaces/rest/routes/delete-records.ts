import { conditionOfKeys, unpackId } from '../../../model/record-id.ts';
import type { Route } from '../call/route.ts';
import { idInPath } from '../parse/named-ids.ts';
import { conditionOfSelection } from '../parse/selected-records.ts';
import { idsInBody, parseSelectionBody } from '../parse/selection-body.ts';

/** Delete one record; it is no error when there is none. */
export const deleteRecordRoute: Route = {
  method: 'DELETE',
  path: '/:collection/:id',
  activity: { action: 'delete', recordIds: idInPath },
  answer: async (call) => {
    const { params, state, context } = call;
    const collection = call.collection();
    const where = () => conditionOfKeys(collection.primaryKey, [unpackId(collection, params['id'])]);
    await state.recordService.delete(collection.name, where, context());
    return { status: 204 };
  },
};

/** Delete the records a selection names. */
export const deleteSelectionRoute: Route = {
  method: 'DELETE',
  path: '/:collection',
  activity: { action: 'delete', recordIds: idsInBody },
  answer: async (call) => {
    const { query, body, state, context } = call;
    const collection = call.collection();
    const callContext = context();
    const where = () => {
      const selection = parseSelectionBody(state.model, collection, body, query, 'required');
      return conditionOfSelection(state, collection, selection, callContext);
    };
    await state.recordService.delete(collection.name, where, callContext);
    return { status: 204 };
  },
};
