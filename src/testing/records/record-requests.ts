import { cloudError } from '#kernel/errors/cloud-error';
import { unexpectedAnswer } from '../errors/unexpected-answer.ts';
import type { AgentConnection } from '../wire/agent-connection.ts';
import { textOf } from '../wire/json-exchange.ts';
import { fieldsInOrder, type ListOptions, type LiveQuery, listQuery } from './list-query.ts';

/** Which records are exported, which columns of them, and how the columns are titled. */
export interface ExportOptions extends Omit<ListOptions, 'pagination'> {
  /** Titles of the columns, one for each of `fields` in their order. Default: the fields themselves. */
  readonly header?: readonly string[];
}

/** Where records are read: a path below the prefix of the agent, and the collection they belong to. */
export interface RecordPlace {
  readonly path: string;
  readonly collection: string;
  /** What an export has where no fields are asked for. */
  readonly columns: readonly string[];
  readonly liveQuery?: LiveQuery;
}

/** How many there are. Rejects with `TEST_ANSWER_UNEXPECTED` where the customization has switched counting off. */
export async function countRecords(
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
export async function exportText(
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
export function writeText(stream: TextSink, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.once('finish', resolve);
    stream.once('error', reject);
    stream.once('close', () => reject(new TypeError('The stream was closed before everything was written.')));
    stream.end(text);
  });
}
