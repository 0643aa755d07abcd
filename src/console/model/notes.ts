import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Mentionable, RecordNotes } from '#contracts/notes';
import { type AgentAddress, askAgent, askAgentForBytes } from '../wire/agent.ts';

/** A record that notes are about. */
export interface NotedRecord {
  readonly agent: AgentAddress;
  readonly collection: string;
  readonly id: string;
}

function pathOf({ collection, id }: NotedRecord, ...further: readonly string[]): readonly string[] {
  return ['_internal', 'notes', collection, id, ...further];
}

/** How many notes there are on a record. */
export function noteCountQuery(record: NotedRecord) {
  const { agent, collection, id } = record;
  return queryOptions({
    queryKey: ['notes', agent.environment, collection, id, 'count'],
    queryFn: ({ signal }) => askAgent<RecordNotes>(agent, pathOf(record), { limit: '0' }, { signal }),
  });
}

export function recordNotesQuery(record: NotedRecord) {
  const { agent, collection, id } = record;
  return infiniteQueryOptions({
    queryKey: ['notes', agent.environment, collection, id, 'list'],
    queryFn: ({ pageParam, signal }) => askAgent<RecordNotes>(agent, pathOf(record), { before: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next?.toString(),
  });
}

/** People who may read the record, and whose names fit. */
export function mentionableQuery(record: NotedRecord, search: string | undefined) {
  const { agent, collection, id } = record;
  return queryOptions({
    queryKey: ['notes', agent.environment, collection, id, 'people', search],
    queryFn: async ({ signal }) =>
      (await askAgent<Mentionable>(agent, pathOf(record, 'people'), { search }, { signal })).people,
    enabled: search !== undefined,
    staleTime: 60_000,
    placeholderData: (before) => before,
  });
}

/** What somebody does with notes. With the same key, the same message is written once. */
export type NoteDeed =
  | { readonly kind: 'begin'; readonly title: string; readonly content: string; readonly key: string }
  | { readonly kind: 'reply'; readonly note: number; readonly content: string; readonly key: string }
  | {
      readonly kind: 'edit';
      readonly note: number;
      readonly revision: number;
      readonly title?: string;
      readonly archived?: boolean;
    }
  | { readonly kind: 'read'; readonly note: number; readonly number: number };

export async function doWithNote(record: NotedRecord, deed: NoteDeed): Promise<void> {
  const send = (method: 'POST' | 'PUT', path: readonly string[], attributes: object, key?: string) =>
    askAgentForBytes(
      record.agent,
      path,
      {},
      {
        method,
        body: { data: { attributes } },
        ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
      },
    );
  switch (deed.kind) {
    case 'begin': {
      const { title, content, key } = deed;
      await send('POST', pathOf(record), { title, content }, key);
      return;
    }
    case 'reply':
      await send('POST', pathOf(record, String(deed.note), 'messages'), { content: deed.content }, deed.key);
      return;
    case 'edit': {
      const { kind: _kind, note, ...edit } = deed;
      await send('PUT', pathOf(record, String(note)), edit);
      return;
    }
    case 'read':
      await send('PUT', pathOf(record, String(deed.note), 'reading'), { number: deed.number });
  }
}
