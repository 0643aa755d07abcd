import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Button } from '../design/controls.tsx';
import type { FilterTree } from '../grid/filter-tree.ts';
import { pageKey, pageSize, type RowSource, type Rows } from '../grid/use-rows.ts';
import { useMessages } from '../messages/index.ts';
import type { VisibleCollection } from '../model/schema.ts';
import { hearPlatform } from '../wire/events.ts';
import { countRecords, listRecords, type Page, projection, type Row } from '../wire/records.ts';
import styles from './list.module.css';

/** Looking takes at most a tenth of the time, and there is a pause in any case. */
const pauseMs = 1_000;
const pauseOfDuration = 10;
/** Rows that are asked about one by one. */
const mostAsked = 100;

/** The list as the agent has it now. */
interface Newest {
  /** The page that was looked at. */
  readonly index: number;
  readonly rows: readonly Row[];
  readonly count: number | undefined;
  /** Shown or chosen rows that do not match any more. */
  readonly gone: ReadonlySet<string>;
}

export interface Changes {
  /** How many rows the list has more than it shows; `undefined` where that is not known, or where rows only changed. */
  readonly more: number | undefined;
  readonly isChanged: boolean;
  readonly gone: ReadonlySet<string>;
}

const nothing: ReadonlySet<string> = new Set();

/**
 * Looks quietly whether the list has changed: when the platform says so, and when the person comes back to the page. What is shown
 * stays as it is.
 *
 * @param asked ids to look for besides those that are shown
 */
export function useChanges(
  source: RowSource,
  collection: VisibleCollection,
  rows: Rows,
  first: number,
  asked: ReadonlySet<string>,
): Changes {
  const client = useQueryClient();
  const index = Math.floor(first / pageSize);
  const shown = useRef({ index, rows, asked });
  shown.current = { index, rows, asked };
  const newest = useQuery({ ...newestQuery(source, collection, shown), enabled: false });
  const { refetch } = newest;
  const { environment } = source.agent;
  useEffect(() => lookWhenChanged(environment, source.collection, refetch), [environment, source.collection, refetch]);

  const { data, dataUpdatedAt } = newest;
  if (!data) return { more: undefined, isChanged: false, gone: nothing };
  const key = pageKey(source, data.index);
  const page = client.getQueryData<Page>(key);
  const isOlder = (client.getQueryState(key)?.dataUpdatedAt ?? 0) < dataUpdatedAt;
  const more = typeof rows.count === 'number' && data.count !== undefined ? data.count - rows.count : 0;
  const isOther = page !== undefined && isOlder && !isSame(page.rows, data.rows);
  return { more: more > 0 ? more : undefined, isChanged: more !== 0 || isOther, gone: isOlder ? data.gone : nothing };
}

function newestQuery(
  source: RowSource,
  collection: VisibleCollection,
  shown: { readonly current: { readonly index: number; readonly rows: Rows; readonly asked: ReadonlySet<string> } },
) {
  const { agent, path, parameters, paths } = source;
  return queryOptions({
    queryKey: ['newest', agent.environment, source.collection, path, parameters, paths],
    queryFn: async ({ signal }): Promise<Newest> => {
      const { index, rows, asked } = shown.current;
      const { sort: _sort, ...filters } = parameters;
      const place = { 'page[size]': String(pageSize), 'page[number]': String(index + 1) };
      const [page, count] = await Promise.all([
        listRecords(agent, path, { ...parameters, ...place }, { signal, headers: projection(paths) }),
        collection.isCountable ? countRecords(agent, path, filters, signal) : undefined,
      ]);
      const there = new Set(page.rows.map(({ id }) => id));
      const missing = [...new Set([...rows.loaded.map(({ id }) => id), ...asked])].filter((id) => !there.has(id));
      const ids = missing.slice(0, mostAsked);
      const matching =
        ids.length > 0 && isFindable(collection) ? await whichMatch(source, collection, ids, signal) : new Set(ids);
      return { index, rows: page.rows, count, gone: new Set(ids.filter((id) => !matching.has(id))) };
    },
  });
}

/** Looks again after a change of the collection, with pauses between, and not while nobody sees the page. */
function lookWhenChanged(environment: string, collection: string, look: () => Promise<unknown>): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isDue = false;
  let isLooking = false;
  const next = () => {
    if (!isDue || isLooking || timer !== undefined || document.hidden) return;
    isDue = false;
    isLooking = true;
    const start = performance.now();
    void look().finally(() => {
      isLooking = false;
      const pause = Math.max(pauseMs, (performance.now() - start) * pauseOfDuration);
      timer = setTimeout(() => {
        timer = undefined;
        next();
      }, pause);
    });
  };
  const beDue = () => {
    isDue = true;
    next();
  };
  const leave = hearPlatform(environment, (event) => {
    if (event.type === 'records' && event.collection === collection) beDue();
  });
  document.addEventListener('visibilitychange', beDue);
  return () => {
    leave();
    clearTimeout(timer);
    isDue = false;
    document.removeEventListener('visibilitychange', beDue);
  };
}

function isSame(one: readonly Row[], other: readonly Row[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Whether records can be asked for by their keys. Bytes, for instance, have no operators. */
function isFindable({ primaryKey, fields }: VisibleCollection): boolean {
  const wanted = primaryKey.length === 1 ? 'in' : 'equal';
  return primaryKey.every((name) =>
    fields.some((field) => field.name === name && field.operators.some(({ operator }) => operator === wanted)),
  );
}

/** Of these records, those that the list has. */
async function whichMatch(
  { agent, path, parameters }: RowSource,
  { primaryKey }: VisibleCollection,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const { sort: _sort, filters, ...rest } = parameters;
  const these = JSON.stringify(conditionOn(primaryKey, ids));
  const { rows } = await listRecords(
    agent,
    path,
    { ...rest, filters: filters === undefined ? these : both(filters, these), 'page[size]': String(ids.length) },
    { signal, headers: projection(primaryKey) },
  );
  return new Set(rows.map(({ id }) => id));
}

/** The filters stay the text that they are, so that no digit of theirs is lost. */
function both(one: string, other: string): string {
  return `{"aggregator":"and","conditions":[${one},${other}]}`;
}

/** The parts of a packed id are joined by `|`. */
function conditionOn(primaryKey: readonly string[], ids: readonly string[]): FilterTree {
  const [only, ...others] = primaryKey;
  if (only !== undefined && others.length === 0) return { field: only, operator: 'in', value: ids };
  return {
    aggregator: 'or',
    conditions: ids.map((id) => {
      const parts = id.split('|');
      return {
        aggregator: 'and',
        conditions: primaryKey.map((field, at) => ({ field, operator: 'equal', value: parts[at] })),
      };
    }),
  };
}

/** Says that the list has changed, and takes the change when somebody asks for it. */
export function NewerRows({ changes, onTake }: { readonly changes: Changes; readonly onTake: () => void }) {
  const messages = useMessages();
  const { isChanged, more } = changes;
  return (
    <span role="status" className={styles['newer']}>
      {isChanged && (
        <Button data-key="r" onClick={onTake}>
          {more === undefined ? messages.listChanged : messages.newerRows(more)}
        </Button>
      )}
    </span>
  );
}
