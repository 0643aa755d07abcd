import { contentDisposition } from '#kernel/text/content-disposition';
import { type CompiledCollection, findCollection } from '../../../model/compiled-model.ts';
import { defaultProjection } from '../../../model/default-projection.ts';
import type { RelationEnd } from '../../../records/request/link-service.ts';
import { lookupInQuery, parseRecordSelection } from '../../request/query-parameters.ts';
import { relatedEnd } from '../call/related-end.ts';
import type { Route, RouteAnswer, RouteCall } from '../call/route.ts';
import { parseTitles } from '../parse/csv-titles.ts';
import { contextWithDeleted, parseProjection, parseSort, projectionHeader } from '../parse/list-parameters.ts';
import { idInPath } from '../parse/named-ids.ts';
import { csvOf } from '../render/csv.ts';
import { listRecordsRoute } from './list-records.ts';
import { listRelatedRoute } from './related-records.ts';

/** Every record of a collection that the query asks for, as a CSV file. A collection may itself be called `x.csv`. */
export const exportRecordsRoute: Route = {
  method: 'GET',
  path: '/:collection.csv',
  otherwise: ({ state, params }) => {
    const collection = `${params['collection']}.csv`;
    return findCollection(state.model, collection) && { route: listRecordsRoute, params: { ...params, collection } };
  },
  activity: { action: 'export' },
  answer: (call) => answerOfExport(call, call.collection()),
};

export const exportRelatedRoute: Route = {
  method: 'GET',
  path: '/:collection/:id/relationships/:relation.csv',
  otherwise: ({ state, params }) => {
    const relation = `${params['relation']}.csv`;
    const isNamed = findCollection(state.model, params['collection'])?.fields.has(relation) === true;
    return isNamed ? { route: listRelatedRoute, params: { ...params, relation } } : undefined;
  },
  activity: { action: 'export', label: ({ params }) => params['relation'], recordIds: idInPath },
  answer: async (call) => {
    const { foreign, end } = relatedEnd(call, 'to many');
    return answerOfExport(call, foreign, end);
  },
};

async function answerOfExport(
  { query, headers, state, exportLimit, context }: RouteCall,
  collection: CompiledCollection,
  end?: RelationEnd,
): Promise<RouteAnswer> {
  let paths: readonly string[] = [];
  let titles: readonly string[] = [];
  const read = () => {
    const lookup = lookupInQuery(query);
    const sort = parseSort(collection, lookup('sort'));
    const selection = parseRecordSelection(state.model, collection, lookup);
    paths =
      parseProjection(collection, query, projectionHeader(headers)) ??
      defaultProjection(state.model, collection, () => false);
    titles = parseTitles(query['header'], paths.length);
    return { ...selection, projection: paths, sort, relatedTo: end };
  };
  const batches = await state.recordService.exportRecords(
    { collection: collection.name, read },
    exportLimit,
    contextWithDeleted(context(), collection, query),
  );
  const csv = csvOf(state.model, collection, paths, titles, batches);
  return {
    status: 200,
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': contentDisposition(fileName(query['filename'], collection.name)),
      'last-modified': new Date().toUTCString(),
      'x-accel-buffering': 'no',
      'cache-control': 'no-cache',
    },
    trailers: { 'x-service-record-count': () => String(csv.count()) },
    body: csv.body,
    recordCount: () => csv.count(),
  };
}

function fileName(asked: string | undefined, collection: string): string {
  const name = asked === undefined || asked.trim() === '' ? collection : asked;
  return name.toLowerCase().endsWith('.csv') ? name : `${name}.csv`;
}
