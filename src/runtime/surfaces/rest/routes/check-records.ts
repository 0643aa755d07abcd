import { conditionOfKeys, recordNotFound, unpackId } from '../../../model/record-id.ts';
import { isOn } from '../../request/query-parameters.ts';
import type { Route, RouteAnswer } from '../call/route.ts';
import { parseIfMatch, parsePatch, parseRecordToCreate } from '../parse/record-body.ts';
import { conditionOfSelection, parseSelectionBody } from '../parse/selection-body.ts';

/** The meaning of a path with `dryRun`. Nothing is written, so nothing is reported. */
export function insteadOfWriting(route: Route): NonNullable<Route['otherwise']> {
  return ({ query, params }) => (isOn(query['dryRun']) ? { route, params } : undefined);
}

/** Check a record that could be created. */
export const checkCreateRoute: Route = {
  method: 'POST',
  path: '/:collection',
  answer: async (call) => {
    const { model, recordService } = call.state;
    const collection = call.collection();
    const read = () => parseRecordToCreate(model, collection, call.body);
    const { missing } = await recordService.checkCreateLinked(collection.name, read, call.context());
    return checked({ missing });
  },
};

/** Check an update that could be made. */
export const checkUpdateRoute: Route = {
  method: 'PUT',
  path: '/:collection/:id',
  answer: async (call) => {
    const { params, body, state, context } = call;
    const collection = call.collection();
    const changes = await state.recordService.checkUpdateLinked(
      collection.name,
      () => unpackId(collection, params['id']),
      () => parsePatch(state.model, collection, body),
      context(),
      parseIfMatch(body),
    );
    if (!changes) throw recordNotFound(collection);
    return checked({});
  },
};

/** What the deletion of one record would do. */
export const foreseeDeletionRoute: Route = {
  method: 'DELETE',
  path: '/:collection/:id',
  answer: async (call) => {
    const { params, state, context } = call;
    const collection = call.collection();
    const where = () => conditionOfKeys(collection.primaryKey, [unpackId(collection, params['id'])]);
    return checked(await state.recordService.foreseeDelete(collection.name, where, context()));
  },
};

/** What the deletion of a selection would do. */
export const foreseeDeletionsRoute: Route = {
  method: 'DELETE',
  path: '/:collection',
  answer: async (call) => {
    const { query, body, state, context } = call;
    const collection = call.collection();
    const callContext = context();
    const where = () => {
      const selection = parseSelectionBody(state.model, collection, body, query, 'required');
      return conditionOfSelection(state, collection, selection, callContext);
    };
    return checked(await state.recordService.foreseeDelete(collection.name, where, callContext));
  },
};

function checked(found: object): RouteAnswer {
  return { status: 200, body: { meta: { dryRun: true, ...found } } };
}
