import type { AgentConnection } from '../wire/agent-connection.ts';
import { type FilterOptions, type ListOptions, listQuery } from './list-query.ts';
import { type PlainRecord, recordsOf } from './record-document.ts';
import {
  countRecords,
  type ExportOptions,
  exportText,
  type RecordPlace,
  type TextSink,
  writeText,
} from './record-requests.ts';

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
