import { Readable } from 'node:stream';
import { invalidRequest } from '#kernel/errors/request-errors';
import { contentDisposition } from '#kernel/text/content-disposition';
import { withoutFormula } from '#kernel/text/without-formula';
import { type CompiledCollection, columnOf, findCollection, type ModelView } from '../../../model/compiled-model.ts';
import { defaultProjection } from '../../../model/default-projection.ts';
import { resolvePath } from '../../../model/field-path.ts';
import { isListType } from '../../../query/operators.ts';
import { valueReader } from '../../../query/record-path.ts';
import type { RecordData } from '../../../query/record-query.ts';
import type { RelationEnd } from '../../../records/request/link-service.ts';
import { lookupInQuery, parseRecordSelection } from '../../request/query-parameters.ts';
import { relatedEnd } from '../call/related-end.ts';
import type { Route, RouteAnswer, RouteCall } from '../call/route.ts';
import { contextWithDeleted, parseProjection, parseSort, projectionHeader } from '../parse/list-parameters.ts';
import { idInPath, listRecordsRoute } from './records.ts';
import { listRelatedRoute } from './relations.ts';

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

/** The titles of the columns of a file: a comma list, or a JSON array of texts, one for each column. */
function parseTitles(header: string | undefined, columns: number): readonly string[] {
  if (header === undefined || header === '') throw unusable('is missing', columns);
  const titles = header.trimStart().startsWith('[') ? parseArray(header, columns) : header.split(',');
  if (titles.length !== columns) throw unusable(`has ${titles.length} titles for ${columns} columns`, columns);
  return titles;
}

function parseArray(header: string, columns: number): readonly string[] {
  try {
    const parsed: unknown = JSON.parse(header);
    if (Array.isArray(parsed) && parsed.every((title) => typeof title === 'string')) return parsed;
  } catch {
    // The check below refuses it, like anything that is no list of texts.
  }
  throw unusable('is no list of texts', columns);
}

function unusable(problem: string, columns: number) {
  return invalidRequest(`The parameter "header" ${problem}.`, `Send ${columns} titles, separated by commas.`);
}

interface CsvExport {
  /** Rows as they are read. It fails when reading fails, so that a cut-off file never looks complete. */
  readonly body: Readable;
  /** Records written so far. */
  count(): number;
}

/** A CSV file (RFC 4180, lines ending in a line feed) with a line of titles and one for each record. */
function csvOf(
  model: ModelView,
  collection: CompiledCollection,
  paths: readonly string[],
  titles: readonly string[],
  batches: AsyncIterable<readonly RecordData[]>,
): CsvExport {
  const columns = paths.map((path) => {
    const read = valueReader(path);
    const { type } = columnOf(resolvePath(model, collection, path).field);
    // A number may well begin with a minus.
    const isNumeric = type === 'Number' || (isListType(type) && type[0] === 'Number');
    return (record: RecordData) => (isNumeric ? textOf(read(record)) : withoutFormula(textOf(read(record))));
  });
  let written = 0;
  async function* lines(): AsyncGenerator<string> {
    const { stringify } = await import('csv-stringify/sync');
    let isBegun = false;
    for await (const batch of batches) {
      written += batch.length;
      const rows = batch.map((record) => columns.map((column) => column(record)));
      // The titles wait for the first records: until then a failure can still be answered as one.
      yield stringify(isBegun ? rows : [titles, ...rows]);
      isBegun = true;
    }
    if (!isBegun) yield stringify([titles]);
  }
  return { body: Readable.from(lines(), { objectMode: false }), count: () => written };
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(textOf).join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
