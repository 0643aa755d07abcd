import { collectionAt } from '../collection-at.ts';
import { lookupInQuery } from '../parse/parameter-lookup.ts';
import { parseRecordSelection } from '../parse/record-selection.ts';
import type { Route } from '../route.ts';

/** How many records match; that counting is switched off, where it is. */
export const countRecordsRoute: Route = {
  method: 'GET',
  path: '/:collection/count',
  answer: async ({ params, query, state, context }) => {
    const collection = collectionAt(state.model, params['collection']);
    const callContext = context();
    await state.authoriser.require(callContext.caller, collection.name, 'browse');
    if (!collection.isCountable) return { status: 200, body: { meta: { count: 'deactivated' } } };
    const selection = parseRecordSelection(state.model, collection, lookupInQuery(query));
    return { status: 200, body: { count: await state.recordService.count(selection, callContext) } };
  },
};
