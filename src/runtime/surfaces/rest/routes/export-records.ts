import { Readable } from 'node:stream';
import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { invalidRequest } from '#kernel/errors/request-errors';
import { contentDisposition } from '#kernel/text/content-disposition';
import { withoutFormula } from '#kernel/text/without-formula';
import { type CompiledCollection, columnOf, findCollection } from '../../../model/compiled-model.ts';
import { defaultProjection } from '../../../model/default-projection.ts';
import { resolvePath } from '../../../model/field-path.ts';
import type { ColumnSchema } from '../../../query/collection-schema.ts';
import { isListType } from '../../../query/operators.ts';
import { valueReader } from '../../../query/record-path.ts';
import type { RecordData } from '../../../query/record-query.ts';
import type { RelationEnd } from '../../../records/request/link-service.ts';
import { cellOf, localTimeIn, mostRecords, requireRoom } from '../../../spreadsheet/sheet-cell.ts';
import { lookupInQuery, parseRecordSelection } from '../../request/query-parameters.ts';
import { relatedEnd } from '../call/related-end.ts';
import type { Route, RouteAnswer, RouteCall } from '../call/route.ts';
import { contextWithDeleted, parseProjection, parseSort, projectionHeader } from '../parse/list-parameters.ts';
import { idInPath, listRecordsRoute } from './records.ts';
import { listRelatedRoute } from './relations.ts';

type Format = 'csv' | 'xlsx';

const mediaTypes: Readonly<Record<Format, string>> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/**
 * Every record of a collection that the query asks for, as a file. What follows the last dot of the path is its format; a collection may
 * itself be called `x.csv`.
 */
function exportRecordsRoute(format: Format): Route {
  return {
    method: 'GET',
    path: `/:collection.${format}`,
    otherwise: ({ state, params }) => {
      const collection = `${params['collection']}.${format}`;
      return findCollection(state.model, collection) && { route: listRecordsRoute, params: { ...params, collection } };
    },
    activity: { action: 'export' },
    answer: (call) => answerOfExport(call, format, call.collection()),
  };
}

function exportRelatedRoute(format: Format): Route {
  return {
    method: 'GET',
    path: `/:collection/:id/relationships/:relation.${format}`,
    otherwise: ({ state, params }) => {
      const relation = `${params['relation']}.${format}`;
      const isNamed = findCollection(state.model, params['collection'])?.fields.has(relation) === true;
      return isNamed ? { route: listRelatedRoute, params: { ...params, relation } } : undefined;
    },
    activity: { action: 'export', label: ({ params }) => params['relation'], recordIds: idInPath },
    answer: async (call) => {
      const { foreign, end } = relatedEnd(call, 'to many');
      return answerOfExport(call, format, foreign, end);
    },
  };
}

export const exportRoutes: readonly Route[] = (['csv', 'xlsx'] as const).flatMap((format) => [
  exportRecordsRoute(format),
  exportRelatedRoute(format),
]);

async function answerOfExport(
  { query, headers, state, exportLimit, context }: RouteCall,
  format: Format,
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
  const asked = { collection: collection.name, read };
  const callContext = contextWithDeleted(context(), collection, query);
  const batches = await state.recordService.exportRecords(asked, exportLimit, callContext);
  const mostInFile = exportLimit ?? Number.POSITIVE_INFINITY;
  if (format === 'xlsx' && collection.isCountable && mostInFile > mostRecords) {
    requireRoom(await state.recordService.count(asked, callContext));
  }
  const counted = { records: 0 };
  const columns = paths.map((path, index) => ({
    title: titles[index] ?? path,
    read: valueReader(path),
    column: columnOf(resolvePath(state.model, collection, path).field),
  }));
  const counting = (async function* all() {
    for await (const batch of batches) {
      counted.records += batch.length;
      yield batch;
    }
  })();
  const { timezone } = callContext.caller;
  const body = format === 'csv' ? csvOf(columns, counting) : workbookOf(collection.name, columns, counting, timezone);
  return {
    status: 200,
    headers: {
      'content-type': mediaTypes[format],
      'content-disposition': contentDisposition(fileName(query['filename'], collection.name, format)),
      'last-modified': new Date().toUTCString(),
      'x-accel-buffering': 'no',
      'cache-control': 'no-cache',
    },
    trailers: { 'x-service-record-count': () => String(counted.records) },
    body: Readable.from(body, { objectMode: false }),
    recordCount: () => counted.records,
  };
}

function fileName(asked: string | undefined, collection: string, format: Format): string {
  const name = asked === undefined || asked.trim() === '' ? collection : asked;
  return name.toLowerCase().endsWith(`.${format}`) ? name : `${name}.${format}`;
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
    // The check below refuses it, like anything that is not a list of texts.
  }
  throw unusable('is not a list of texts', columns);
}

function unusable(problem: string, columns: number) {
  return invalidRequest(`The parameter "header" ${problem}.`, `Send ${columns} titles, separated by commas.`);
}

interface FileColumn {
  readonly title: string;
  readonly read: (record: RecordData) => unknown;
  readonly column: ColumnSchema;
}

type Batches = AsyncIterable<readonly RecordData[]>;

/** Records that are written at a stretch. A whole batch would keep the requests of others waiting for twenty milliseconds. */
const recordsOfPart = 200;

/** The records of batches in small parts. Between two of them, other requests have their turn. */
async function* inParts(batches: Batches): AsyncGenerator<readonly RecordData[]> {
  for await (const batch of batches) {
    for (let from = 0; from < batch.length; from += recordsOfPart) {
      if (from > 0) await turnOfOthers();
      yield batch.slice(from, from + recordsOfPart);
    }
  }
}

/** A CSV file (RFC 4180, lines ending in a line feed) with a line of titles and one for each record. */
async function* csvOf(columns: readonly FileColumn[], batches: Batches): AsyncGenerator<string> {
  const { stringify } = await import('csv-stringify/sync');
  const titles = columns.map(({ title }) => title);
  const writers = columns.map(({ read, column: { type } }) => {
    // A number may well begin with a minus.
    const isNumeric = type === 'Number' || (isListType(type) && type[0] === 'Number');
    return (record: RecordData) => (isNumeric ? textOf(read(record)) : withoutFormula(textOf(read(record))));
  });
  let isBegun = false;
  for await (const batch of inParts(batches)) {
    const rows = batch.map((record) => writers.map((write) => write(record)));
    // The titles wait for the first records: until then a failure can still be answered as one.
    yield stringify(isBegun ? rows : [titles, ...rows]);
    isBegun = true;
  }
  if (!isBegun) yield stringify([titles]);
}

/** A workbook in which dates are in a time zone. */
async function* workbookOf(
  name: string,
  columns: readonly FileColumn[],
  batches: Batches,
  timezone: string,
): AsyncGenerator<Uint8Array> {
  const { writeWorkbook } = await import('../../../spreadsheet/write-workbook.ts');
  const localTime = localTimeIn(timezone);
  const readers = columns.map(({ read, column: { type } }) => (record: RecordData) => {
    const value = read(record);
    return cellOf(Array.isArray(value) ? textOf(value) : value, type, localTime);
  });
  const rows = (async function* all() {
    for await (const batch of inParts(batches)) yield batch.map((record) => readers.map((reader) => reader(record)));
  })();
  const shown = columns.map(({ title, column: { scale } }) => ({
    title,
    format: scale === undefined ? undefined : `0${scale > 0 ? `.${'0'.repeat(scale)}` : ''}`,
  }));
  yield* writeWorkbook(name, shown, rows);
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(textOf).join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
