import { queryOptions, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import type { AgentAddress, Parameters } from '../wire/agent.ts';
import { countRecords, listRecords, type Page, projection, type Row } from '../wire/records.ts';

/** Rows of a page. */
export const pageSize = 100;

/** Pages that nobody looks at are forgotten, so that a million rows take no more memory than a few hundred. */
const keptMs = 15_000;

/** A list of records at the agent: of a collection, or behind a relation of a record. */
export interface RowSource {
  readonly agent: AgentAddress;
  /** The collection that the rows are of. */
  readonly collection: string;
  /** `['orders']`, or `['customers', '7', 'relationships', 'orders']`. */
  readonly path: readonly string[];
  readonly parameters: Parameters;
  readonly paths: readonly string[];
}

export interface Rows {
  /** The row at an index; `undefined` while it is on its way. */
  at(index: number): Row | undefined;
  /** The rows that are there, in their order. */
  readonly loaded: readonly Row[];
  /** The rows from `from` to `to`. Those that are not there any more are asked for again. */
  between(from: number, to: number): Promise<readonly Row[]>;
  /** How many rows are known to be there; more than that may be. */
  readonly known: number;
  readonly isComplete: boolean;
  /** How many there are in all; `null` where nobody counts them, `undefined` while that is not known. */
  readonly count: number | null | undefined;
  readonly isFirstVisit: boolean;
  readonly isBehind: boolean;
  readonly error: Error | null;
}

/** The keys of everything that is kept of the rows of a collection. */
export function rowsKey({ agent, collection }: Pick<RowSource, 'agent' | 'collection'>) {
  return ['rows', agent.environment, collection] as const;
}

/** The rows of a list from `first` to `last`, and how many there are. Pages follow each other by cursors, so that no row comes twice. */
export function useRows(source: RowSource, first: number, last: number): Rows {
  const client = useQueryClient();
  const from = Math.floor(first / pageSize);
  const to = Math.floor(last / pageSize);
  const indices = Array.from({ length: to - from + 1 }, (_, offset) => from + offset);
  const pages = useQueries({
    queries: indices.map((index) => pageQuery(source, index, (query) => client.getQueryData(query))),
  });
  const count = useCount(source);
  const byIndex = new Map(indices.map((index, at) => [index, pages[at]?.data]));
  const lastLoaded = indices.findLast((index) => byIndex.get(index) !== undefined) ?? -1;
  const lastPage = byIndex.get(lastLoaded);
  const following = client.getQueryData(pageKey(source, lastLoaded + 1)) as Page | undefined;
  const isComplete = lastPage !== undefined && isLast(lastPage, following);
  const reached = lastPage ? lastLoaded * pageSize + lastPage.rows.length : from * pageSize;
  // The list was longer when somebody scrolled here.
  const isBeyond = lastLoaded > 0 && lastPage?.rows.length === 0;
  // Where nobody has counted, one more page may be there.
  const expected = typeof count.data === 'number' ? count.data : reached + (lastPage ? pageSize : 0);
  return {
    at: (index) => byIndex.get(Math.floor(index / pageSize))?.rows[index % pageSize],
    between: async (start, end) => {
      const rows: Row[] = [];
      const page = Math.floor(start / pageSize);
      // One after the other: each begins where the one before ends.
      for (let index = page; index <= Math.floor(end / pageSize); index++) {
        const known: KnownPage = (key) => client.getQueryData(key);
        rows.push(...(await client.fetchQuery(pageQuery(source, index, known))).rows);
      }
      return rows.slice(start - page * pageSize, end + 1 - page * pageSize);
    },
    loaded: pages.flatMap(({ data }) => data?.rows ?? []),
    known: isBeyond && typeof count.data === 'number' ? count.data : isComplete ? reached : Math.max(reached, expected),
    isComplete,
    count: count.data,
    isFirstVisit: from === 0 && pages.every(({ data, isPending }) => data === undefined && isPending),
    isBehind: pages.some(
      ({ isPlaceholderData, isFetching, data }) => isPlaceholderData || (isFetching && data === undefined),
    ),
    error: pages.find(({ error }) => error !== null)?.error ?? null,
  };
}

/** The parameters that say which records a list has. */
export function filtersOf({ parameters }: RowSource): Parameters {
  const { sort: _sort, ...filters } = parameters;
  return filters;
}

export function countKey(source: RowSource): readonly unknown[] {
  return [...rowsKey(source), 'count', source.path, filtersOf(source)];
}

/** Ask for the count apart: the rows do not wait for it. */
function useCount(source: RowSource) {
  const { agent, path } = source;
  return useQuery({
    queryKey: countKey(source),
    queryFn: async ({ signal }) => (await countRecords(agent, path, filtersOf(source), signal)) ?? null,
    staleTime: 30_000,
    refetchOnWindowFocus: false,
  });
}

export function pageKey(source: RowSource, page: number): readonly unknown[] {
  return [...rowsKey(source), 'page', source.path, source.parameters, source.paths, page];
}

/** Whether a page is the last one. Its cursor says so, or its length, or the empty page that followed. */
function isLast({ rows, next }: Page, following: Page | undefined): boolean {
  return next === null || rows.length < pageSize || following?.rows.length === 0;
}

type KnownPage = (key: readonly unknown[]) => Page | undefined;

function pageQuery(source: RowSource, index: number, known: KnownPage) {
  const { agent, path, parameters, paths } = source;
  return queryOptions({
    queryKey: pageKey(source, index),
    queryFn: ({ signal }) => {
      const before = index === 0 ? '' : known(pageKey(source, index - 1))?.next;
      const place = before == null ? { 'page[number]': String(index + 1) } : { 'page[after]': before };
      const page = { ...parameters, 'page[size]': String(pageSize), ...place };
      return listRecords(agent, path, page, { signal, headers: projection(paths) });
    },
    gcTime: keptMs,
    staleTime: keptMs,
    // Rows never move by themselves: a list asks first.
    refetchOnWindowFocus: false,
  });
}
