import { cloudError } from '#kernel/errors/cloud-error';
import { unexpectedAnswer } from '../errors/agent-test-errors.ts';
import type { AgentConnection } from '../wire/agent-connection.ts';
import { textOf } from '../wire/json-exchange.ts';
import { type FilterOptions, fieldsInOrder, type ListOptions, type LiveQuery, listQuery } from './list-query.ts';
import { type PlainRecord, recordsOf } from './record-document.ts';

/**
 * Reads the records of a collection, of a segment, or behind a relation. Everything rejects with `AgentHttpError` when the agent
 * refuses, and with `TEST_AGENT_UNREACHABLE`.
 */
export interface RecordReader<Row> {
  /** A page of records; 15 where `pagination` says nothing else. */
  list(options?: ListOptions): Promise<Row[]>;
  /** The records that the search finds; the same as `list` with `search`. */
  search(text: string, options?: Omit<ListOptions, 'search'>): Promise<Row[]>;
  /** How many records there are. Rejects with `TEST_ANSWER_UNEXPECTED` where counting is switched off. */
  count(options?: FilterOptions): Promise<number>;
  /**
   * Write every record as CSV, up to 64 MB, and end the stream. When the agent refuses, nothing is written and the stream stays
   * open.
   */
  exportCsv(stream: TextSink, options?: ExportOptions): Promise<void>;
  /** The same as one text. */
  exportCsvText(options?: ExportOptions): Promise<string>;
}

export function createRecordReader(
  connection: AgentConnection,
  place: RecordPlace,
  always: FilterOptions = {},
): RecordReader<PlainRecord> {
  const { path, collection, liveQuery } = place;
  const list = async (options: ListOptions = {}) => {
    const query = listQuery(collection, { ...options, ...always, ...(liveQuery && { liveQuery }) });
    return recordsOf(await connection.ask({ method: 'GET', path, query }));
  };
  return {
    list,
    search: (text, options = {}) => list({ ...options, search: text }),
    count: (options = {}) => countRecords(connection, place, { ...options, ...always }),
    exportCsv: async (stream, options = {}) =>
      writeText(stream, await exportText(connection, place, { ...options, ...always })),
    exportCsvText: (options = {}) => exportText(connection, place, { ...options, ...always }),
  };
}

/** Which records are exported, which columns of them, and how the columns are titled. */
export interface ExportOptions extends Omit<ListOptions, 'pagination'> {
  /** Titles of the columns, one for each of `fields` in their order. Default: the fields themselves. */
  readonly header?: readonly string[];
}

/** Where records are read: a path below the prefix of the agent, and the collection they belong to. */
interface RecordPlace {
  readonly path: string;
  readonly collection: string;
  /** What an export has where no fields are asked for. */
  readonly columns: readonly string[];
  readonly liveQuery?: LiveQuery;
}

/** How many there are. Rejects with `TEST_ANSWER_UNEXPECTED` where the customization has switched counting off. */
async function countRecords(
  connection: AgentConnection,
  { path, collection, liveQuery }: RecordPlace,
  options: ListOptions,
): Promise<number> {
  const query = listQuery(collection, { ...options, ...(liveQuery && { liveQuery }) });
  const body = await connection.ask({ method: 'GET', path: `${path}/count`, query });
  const count = typeof body === 'object' && body !== null && 'count' in body ? body.count : undefined;
  if (typeof count === 'number') return count;
  throw unexpectedAnswer(`The agent does not count "${collection}": counting is switched off for it.`, body);
}

/** Every record as the text of a CSV file. */
async function exportText(
  connection: AgentConnection,
  { path, collection, columns, liveQuery }: RecordPlace,
  { header, ...options }: ExportOptions,
): Promise<string> {
  const asked = (options.fields ?? columns).map((field) => field.replace('@@@', ':'));
  const titles = new Map(asked.map((field, index) => [field, header?.[index] ?? field]));
  if (header && header.length !== asked.length) {
    throw cloudError(
      'TEST_OPTION_INVALID',
      `"header" has ${header.length} titles for ${asked.length} fields.`,
      'Give one title for each field, or leave "header" out.',
    );
  }
  const query = listQuery(collection, { ...options, fields: asked, ...(liveQuery && { liveQuery }) });
  query.set('header', JSON.stringify(fieldsInOrder(collection, asked).map((field) => titles.get(field) ?? field)));
  return textOf(await connection.send({ method: 'GET', path: `${path}.csv`, query }));
}

/** Where a file is written to: a `Writable` of Node.js is one. */
export interface TextSink {
  end(text: string): unknown;
  once(event: 'finish' | 'close', listener: () => void): unknown;
  once(event: 'error', listener: (error: Error) => void): unknown;
}

/** Write the whole text and end the stream; resolves when everything is written. */
function writeText(stream: TextSink, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.once('finish', resolve);
    stream.once('error', reject);
    stream.once('close', () => reject(new TypeError('The stream was closed before everything was written.')));
    stream.end(text);
  });
}
