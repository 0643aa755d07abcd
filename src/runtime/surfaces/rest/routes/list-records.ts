import { listAction } from '../../../activity/act-reporter.ts';
import type { CompiledCollection } from '../../../model/compiled-model.ts';
import { requireKey } from '../../../model/record-id.ts';
import type { RelationEnd } from '../../../records/request/link-service.ts';
import type { Route, RouteAnswer, RouteCall } from '../call/route.ts';
import { contextWithDeleted, projectionHeader, readListQuestion } from '../parse/list-parameters.ts';
import { recordListDocument } from '../render/json-api.ts';
import { searchDecorators } from '../render/search-decorators.ts';

/** A page of the records of a collection. */
export const listRecordsRoute: Route = {
  method: 'GET',
  path: '/:collection',
  activity: {
    action: ({ query: { search, filters, segment, segmentQuery } }) =>
      listAction(search, Boolean(filters || segment || segmentQuery)),
  },
  answer: (call) => answerOfList(call, call.collection()),
};

/** A page of records: all of the collection, or those that are related to one. */
export async function answerOfList(
  { query, headers, state, prefix, context }: RouteCall,
  collection: CompiledCollection,
  end?: RelationEnd,
): Promise<RouteAnswer> {
  const read = () => {
    requireKey(collection);
    return readListQuestion(state, { collection, query, header: projectionHeader(headers), relatedTo: end });
  };
  const records = await state.recordService.list(
    { collection: collection.name, read },
    contextWithDeleted(context(), collection, query),
  );
  const { search } = query;
  const meta = search?.trim() ? searchDecorators(state.model, collection, records, search) : undefined;
  return { status: 200, body: recordListDocument(state.model, collection, records, prefix, meta) };
}
