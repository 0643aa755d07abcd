import { invalidRequest } from '#kernel/errors/request-errors';
import { listAction } from '../../../activity/act-reporter.ts';
import type { CompiledCollection } from '../../../model/compiled-model.ts';
import { conditionOfKeys, requireKey, unpackId } from '../../../model/record-id.ts';
import type { RecordData } from '../../../query/record-query.ts';
import type { CallContext } from '../../../records/calls/call-context.ts';
import type { RelationEnd } from '../../../records/request/link-service.ts';
import { lookupInQuery, parseRecordSelection } from '../../request/query-parameters.ts';
import { memberOf } from '../../request/request-bodies.ts';
import { PathUnknown, type Route, type RouteAnswer, type RouteCall } from '../call/route.ts';
import {
  contextWithDeleted,
  listIdentity,
  parseProjection,
  projectionHeader,
  readCursorQuestion,
  readListQuestion,
  type SentList,
} from '../parse/list-parameters.ts';
import { parseIfMatch, parsePatch, parseRecordToCreate } from '../parse/record-body.ts';
import { conditionOfSelection, idsInBody, parseSelectionBody } from '../parse/selection-body.ts';
import { type DocumentLinks, recordDocument, recordListDocument } from '../render/json-api.ts';
import { searchDecorators } from '../render/search-decorators.ts';
import {
  checkCreateRoute,
  checkUpdateRoute,
  foreseeDeletionRoute,
  foreseeDeletionsRoute,
  insteadOfWriting,
} from './check-records.ts';

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
  call: RouteCall,
  collection: CompiledCollection,
  end?: RelationEnd,
): Promise<RouteAnswer> {
  const { query, headers, state, context } = call;
  const links = linksOf(call);
  const sent = { collection, query, header: projectionHeader(headers), relatedTo: end };
  const callContext = contextWithDeleted(context(), collection, query);
  if (query['page[after]'] !== undefined) return answerOfPage(call, sent, callContext);
  const read = () => {
    requireKey(collection);
    return readListQuestion(state, sent);
  };
  const marks = searchMarks(call, collection, callContext);
  const records = await state.recordService.list({ collection: collection.name, read }, marks.context);
  const meta = marks.of(records);
  return { status: 200, body: recordListDocument(state.model, collection, records, links, meta) };
}

/** The context of a list that may be searched, and what the answer says of where its records hold the text. */
function searchMarks({ query: { search }, state }: RouteCall, collection: CompiledCollection, context: CallContext) {
  let searched: ReadonlySet<string> | undefined;
  const noteSearched = (columns: ReadonlySet<string>) => {
    searched = columns;
  };
  return {
    context: { ...context, noteSearched },
    of: (records: readonly RecordData[]) =>
      search?.trim() ? searchDecorators(state.model, collection, records, search, searched) : undefined,
  };
}

/** A page of a list that goes on by cursors. */
async function answerOfPage(call: RouteCall, sent: SentList, context: CallContext): Promise<RouteAnswer> {
  const { query, params, state, cursors } = call;
  const { collection } = sent;
  const { id, renderingId } = context.caller;
  const list = [id, renderingId, collection.name, params['id'], params['relation'], ...listIdentity(query)];
  const read = () => {
    requireKey(collection);
    return readCursorQuestion(state, sent, (cursor) => cursors.read(cursor, list));
  };
  const marks = searchMarks(call, collection, context);
  const { records, hasMore, placeBehind } = await state.recordService.page(
    { collection: collection.name, read },
    marks.context,
  );
  const next = hasMore ? cursors.issue(await placeBehind(records.length), list) : null;
  const meta = { ...marks.of(records), page: { next } };
  return { status: 200, body: recordListDocument(state.model, collection, records, linksOf(call), meta) };
}

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

/** One record by its packed id. */
export const getRecordRoute: Route = {
  method: 'GET',
  path: '/:collection/:id',
  activity: { action: 'read', recordIds: idInPath },
  answer: async (call) => {
    const { params, query, headers, state, context } = call;
    const links = linksOf(call);
    const collection = call.collection();
    const record = await state.recordService.get(
      collection.name,
      () => unpackId(collection, params['id']),
      () => parseProjection(collection, query, projectionHeader(headers)),
      contextWithDeleted(context(), collection, query),
    );
    return { status: 200, body: recordDocument(state.model, collection, record, links) };
  },
};

/** Create a record; answers with it and the keys of the records it was linked to. */
export const createRecordRoute: Route = {
  method: 'POST',
  path: '/:collection',
  otherwise: insteadOfWriting(checkCreateRoute),
  activity: { action: 'create' },
  answer: async (call) => {
    const { model, recordService } = call.state;
    const links = linksOf(call);
    const collection = call.collection();
    const read = () => parseRecordToCreate(model, collection, call.body);
    const { record, holders } = await recordService.createLinked(collection.name, read, call.context());
    // The holders were linked after the record had been read.
    const document = recordDocument(model, collection, { ...record, ...holders }, links);
    return { status: 200, body: document };
  },
};

/** Write some columns of a record. Where there is no such record the answer is a document of none, with 200. */
export const updateRecordRoute: Route = {
  method: 'PUT',
  path: '/:collection/:id',
  otherwise: insteadOfWriting(checkUpdateRoute),
  activity: { action: 'update', recordIds: idInPath },
  answer: async (call) => {
    const { params, body, state, context } = call;
    const links = linksOf(call);
    const collection = call.collection();
    const record = await state.recordService.updateLinked(
      collection.name,
      () => unpackId(collection, params['id']),
      () => parsePatch(state.model, collection, body),
      context(),
      parseIfMatch(body),
    );
    return { status: 200, body: recordDocument(state.model, collection, record, links) };
  },
};

/** Delete one record; it is not an error when there is none. */
export const deleteRecordRoute: Route = {
  method: 'DELETE',
  path: '/:collection/:id',
  otherwise: insteadOfWriting(foreseeDeletionRoute),
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
  otherwise: insteadOfWriting(foreseeDeletionsRoute),
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

/** Throws `REQUEST_INVALID` for a header that says neither. */
function linksOf({ headers, prefix }: RouteCall): DocumentLinks {
  const wanted = headers['service-links'];
  if (wanted === undefined || wanted === 'all') return { prefix, areLeftOut: false };
  if (wanted === 'none') return { prefix, areLeftOut: true };
  throw invalidRequest('The header "Service-Links" is "none" or "all".', 'Correct it, or leave it out for all links.');
}

/** The id that the path names. */
export function idInPath({ params }: RouteCall): readonly string[] {
  return params['id'] === undefined ? [] : [params['id']];
}
