import { collectionAt } from '../collection-at.ts';
import { recordListDocument } from '../json-api.ts';
import { requireKey } from '../packed-id.ts';
import { parsePage } from '../parse/page.ts';
import { lookupInQuery } from '../parse/parameter-lookup.ts';
import { parseProjection } from '../parse/projection.ts';
import { projectionHeader } from '../parse/projection-header.ts';
import { parseRecordSelection } from '../parse/record-selection.ts';
import { parseSort } from '../parse/sort.ts';
import type { Route } from '../route.ts';
import { searchDecorators } from '../search-decorators.ts';

/** A page of the records of a collection. */
export const listRecordsRoute: Route = {
  method: 'GET',
  path: '/:collection',
  answer: async ({ params, query, headers, state, prefix, context }) => {
    const collection = collectionAt(state.model, params['collection']);
    const callContext = context();
    // Before anything of the request is looked at, since the errors of the rest tell what the collection looks like.
    await state.authoriser.require(callContext.caller, collection.name, 'browse');
    const lookup = lookupInQuery(query);
    const sort = parseSort(lookup('sort'));
    const page = parsePage(lookup);
    const selection = parseRecordSelection(state.model, collection, lookup);
    const projection = parseProjection(collection, query, projectionHeader(headers));
    requireKey(collection);
    const records = await state.recordService.list({ ...selection, projection, sort, page }, callContext);
    const document = recordListDocument(state.model, collection, records, prefix);
    const meta = selection.search && searchDecorators(state.model, collection, document.data, selection.search);
    return { status: 200, body: meta ? { ...document, meta } : document };
  },
};
