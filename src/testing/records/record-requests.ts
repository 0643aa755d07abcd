import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { CloudError } from '#kernel/errors/cloud-error';
import { unexpectedAnswer } from '../errors/unexpected-answer.ts';
import type { AgentConnection } from '../wire/agent-connection.ts';
import { textOf } from '../wire/json-exchange.ts';
import { fieldsInOrder, type ListOptions, type LiveQuery, listQuery } from './list-query.ts';

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
    throw new CloudError({
      code: 'TEST_OPTION_INVALID',
      message: `"header" has ${header.length} titles for ${asked.length} fields.`,
      nextSteps: ['Give one title for each field, or leave "header" out.'],
    });
  }
  const query = listQuery(collection, { ...options, fields: asked, ...(liveQuery && { liveQuery }) });
  query.set('header', JSON.stringify(fieldsInOrder(collection, asked).map((field) => titles.get(field) ?? field)));
  return textOf(await connection.send({ method: 'GET', path: `${path}.csv`, query }));
}

/** Write the whole text and end the stream; resolves when everything is written. */
export async function writeText(stream: Writable, text: string): Promise<void> {
  const written = finished(stream, { readable: false });
  stream.end(text);
  await written;
}
