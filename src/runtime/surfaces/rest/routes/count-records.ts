import type { CompiledCollection } from '../../../model/compiled-model.ts';
import type { RelationEnd } from '../../../records/request/link-service.ts';
import { lookupInQuery, parseRecordSelection } from '../../request/query-parameters.ts';
import type { Route, RouteAnswer, RouteCall } from '../call/route.ts';
import { contextWithDeleted } from '../parse/list-parameters.ts';

/** How many records match. */
export const countRecordsRoute: Route = {
  method: 'GET',
  path: '/:collection/count',
  answer: (call) => answerOfCount(call, call.collection()),
};

/** How many records match; that counting is switched off, where it is. */
export async function answerOfCount(
  { query, state, context }: RouteCall,
  collection: CompiledCollection,
  end?: RelationEnd,
): Promise<RouteAnswer> {
  if (!collection.isCountable) return { status: 200, body: { meta: { count: 'deactivated' } } };
  const read = () => ({
    ...parseRecordSelection(state.model, collection, lookupInQuery(query)),
    relatedTo: end,
  });
  const shown = contextWithDeleted(context(), collection, query);
  const count = await state.recordService.count({ collection: collection.name, read }, shown);
  return { status: 200, body: { count } };
}
