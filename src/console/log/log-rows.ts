import { queryOptions, useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ExpandedActivityLog } from '#contracts/public-api/activity-logs';
import type { ExpandedAdminLog } from '#contracts/public-api/admin-logs';
import { useStable } from '../design/use-stable.ts';
import { type Changes, lookWhenTold } from '../grid/newer-rows.tsx';
import { ask } from '../wire/http.ts';
import { expansions, type LogSource, logPath } from './log-state.ts';

export type LogRow = ExpandedActivityLog | ExpandedAdminLog;

/** What is listed: a log, and which of its rows. */
export interface LogList extends LogSource {
  readonly filters: Readonly<Record<string, string>>;
  /** Whether the list begins with the oldest row: the end of a long log is a page away then. */
  readonly isOldestFirst: boolean;
}

export const pageSize = 100;
/** Pages that nobody looks at are forgotten, so that a million rows take no more memory than a few hundred. */
const keptMs = 15_000;

/** How far somebody has walked down a log. The places of pages are kept, and are a few bytes each. */
interface Walk {
  readonly id: number;
  /** The cursor of each page that can be asked for. */
  readonly places: string[];
  /** The first page is kept: read again, it would begin at newer rows. */
  first: readonly LogRow[] | undefined;
  /** Where the first page begins: newer rows stand before it. `null` where there was none. */
  newest: string | null;
  /** How many rows there are, once the end was seen. */
  total: number | undefined;
}

let walks = 0;

function beginWalk(): Walk {
  walks++;
  return { id: walks, places: [''], first: undefined, newest: null, total: undefined };
}

interface WirePage {
  readonly hasMore: boolean;
  readonly data: readonly LogRow[];
  readonly nextCursor: string | null;
  readonly prevCursor: string | null;
}

export interface LogRows {
  /** The row at an index; `undefined` while it is on its way. */
  at(index: number): LogRow | undefined;
  /** The rows that are known to be there, and a page more where the log goes on. */
  readonly known: number;
  readonly isComplete: boolean;
  readonly isFirstVisit: boolean;
  readonly error: Error | null;
  readonly changes: Changes;
  retry(): void;
  /** Begin at the newest row again. The rows that are shown stay until the new ones are there. */
  take(): void;
}

/** The rows of a log from `first` to `last`, in the order of the list. Pages follow each other by cursors, so that no row comes twice. */
export function useLogRows(list: LogList, first: number, last: number): LogRows {
  const client = useQueryClient();
  const [walk, setWalk] = useState(beginWalk);
  const [from, to] = [first, last].map((index) => Math.min(Math.floor(index / pageSize), walk.places.length - 1));
  const indices = Array.from({ length: (to ?? 0) - (from ?? 0) + 1 }, (_, offset) => (from ?? 0) + offset);
  const pages = useQueries({ queries: indices.map((index) => pageQuery(list, walk, index)) });
  const newer = useQuery({
    queryKey: ['log newer', walk.id],
    queryFn: ({ signal }) => countNewer(list, walk, signal),
    enabled: false,
  });
  const { refetch } = newer;
  const { kind, environment } = list;
  useEffect(
    () => lookWhenTold(environment, ({ type }) => type === 'log' || kind === 'admin', refetch),
    [environment, kind, refetch],
  );
  const taking = useMutation({
    mutationFn: async () => {
      const next = beginWalk();
      await client.fetchQuery(pageQuery(list, next, 0));
      setWalk(next);
    },
  });
  const take = useStable(() => {
    if (!taking.isPending) taking.mutate();
  });
  const failed = pages.find(({ error }) => error !== null);
  const { rows = 0, hasMore = false } = newer.data ?? {};
  return {
    at: (index) => pages[indices.indexOf(Math.floor(index / pageSize))]?.data?.[index % pageSize],
    known: walk.total ?? walk.places.length * pageSize,
    isComplete: walk.total !== undefined,
    isFirstVisit: from === 0 && pages.every(({ data }) => data === undefined),
    error: failed?.error ?? newer.error ?? taking.error,
    changes: { isChanged: rows > 0, more: rows > 0 && !hasMore ? rows : undefined },
    retry: () => (failed ? void failed.refetch() : newer.error ? void refetch() : take()),
    take,
  };
}

function pageQuery(list: LogList, walk: Walk, index: number) {
  return queryOptions({
    queryKey: ['log', list.kind, walk.id, index],
    queryFn: ({ signal }) => readPage(list, walk, index, signal),
    gcTime: keptMs,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}

/** A whole page. The platform answers less where it has looked at much in vain, and says where to go on. */
async function readPage(list: LogList, walk: Walk, index: number, signal: AbortSignal): Promise<readonly LogRow[]> {
  if (index === 0 && walk.first) return walk.first;
  const rows: LogRow[] = [];
  let next: string | null = walk.places[index] ?? '';
  let newest: string | null | undefined;
  while (next !== null && rows.length < pageSize) {
    const place: Readonly<Record<string, string>> =
      next === '' ? { order: list.isOldestFirst ? 'asc' : 'desc' } : { cursor: next };
    const page = await askForPage(list, pageSize - rows.length, place, signal);
    rows.push(...page.data);
    newest ??= page.prevCursor;
    next = page.hasMore ? page.nextCursor : null;
  }
  if (index === 0) Object.assign(walk, { first: rows, newest: newest ?? null });
  if (next === null) walk.total = index * pageSize + rows.length;
  else walk.places[index + 1] = next;
  return rows;
}

/** How many rows have come since the first page was read. */
async function countNewer(list: LogList, { newest }: Walk, signal: AbortSignal) {
  // They come behind the last row.
  if (list.isOldestFirst) return { rows: 0, hasMore: false };
  const { data, hasMore } = await askForPage(list, pageSize, newest === null ? {} : { cursor: newest }, signal);
  return { rows: data.length, hasMore };
}

function askForPage(
  list: LogList,
  limit: number,
  place: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<WirePage> {
  const parameters = { ...list.filters, include: 'all', expand: expansions[list.kind], limit: String(limit), ...place };
  return ask<WirePage>(`${logPath(list)}?${new URLSearchParams(parameters)}`, { signal });
}

/** One row, with all its records. */
export function logRowQuery(source: LogSource, id: string) {
  return queryOptions({
    queryKey: ['log row', source, id],
    queryFn: ({ signal }) =>
      ask<LogRow>(`${logPath(source)}/${encodeURIComponent(id)}?expand=${expansions[source.kind]}`, { signal }),
    retry: false,
  });
}
