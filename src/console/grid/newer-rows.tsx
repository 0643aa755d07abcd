import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { ConsoleEvent } from '#contracts/console-events';
import { Button } from '../design/first-controls.tsx';
import { useFirstMessages } from '../messages/index.ts';
import type { VisibleCollection } from '../model/schema.ts';
import { hearPlatform } from '../wire/events.ts';
import type { Page, Row } from '../wire/records.ts';
import type { ShownRows } from './newest-rows.ts';
import { pageKey, pageSize, type RowSource, type Rows } from './use-rows.ts';

/** Looking takes at most a tenth of the time, and there is a pause in any case. */
const pauseMs = 1_000;
const pauseOfDuration = 10;

/** What has changed since somebody read a list. */
export interface Changes {
  /** How many rows the list has more than it shows; `undefined` where that is not known, or where rows only changed. */
  readonly more: number | undefined;
  readonly isChanged: boolean;
}

/** What has changed since somebody read records. */
export interface ListChanges extends Changes {
  readonly gone: ReadonlySet<string>;
  /** Looks now. Resolves to the shown or chosen rows that do not match any more. */
  look(): Promise<ReadonlySet<string>>;
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
): ListChanges {
  const client = useQueryClient();
  const index = Math.floor(first / pageSize);
  const shown = useRef({ index, rows, asked });
  shown.current = { index, rows, asked };
  const newest = useQuery({ ...newestQuery(source, collection, shown), enabled: false });
  const { refetch } = newest;
  const { environment } = source.agent;
  const { collection: name } = source;
  useEffect(
    () => lookWhenTold(environment, (event) => event.type === 'records' && event.collection === name, refetch),
    [environment, name, refetch],
  );

  const { data, dataUpdatedAt } = newest;
  const look = async () => (await refetch()).data?.gone ?? nothing;
  if (!data) return { more: undefined, isChanged: false, gone: nothing, look };
  const key = pageKey(source, data.index);
  const page = client.getQueryData<Page>(key);
  const isOlder = (client.getQueryState(key)?.dataUpdatedAt ?? 0) < dataUpdatedAt;
  const more = typeof rows.count === 'number' && data.count !== undefined ? data.count - rows.count : 0;
  const isOther = page !== undefined && isOlder && !isSame(page.rows, data.rows);
  const isChanged = more !== 0 || isOther;
  return { more: more > 0 ? more : undefined, isChanged, gone: isOlder ? data.gone : nothing, look };
}

function newestQuery(
  source: RowSource,
  collection: VisibleCollection,
  shown: { readonly current: Omit<ShownRows, 'collection'> },
) {
  const { agent, path, parameters, paths } = source;
  return queryOptions({
    queryKey: ['newest', agent.environment, source.collection, path, parameters, paths],
    queryFn: async ({ signal }) => {
      const { newestRows } = await import('./newest-rows.ts');
      return newestRows(source, { ...shown.current, collection }, signal);
    },
  });
}

/**
 * Looks again after the events that are about a list, with pauses between, and not while nobody sees the page. Returns what ends that.
 */
export function lookWhenTold(
  environment: string,
  isAbout: (event: ConsoleEvent) => boolean,
  look: () => Promise<unknown>,
): () => void {
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
    if (isAbout(event)) beDue();
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

/** Says that the list has changed, and takes the change when somebody asks for it. */
export function NewerRows({ changes, onTake }: { readonly changes: Changes; readonly onTake: () => void }) {
  const messages = useFirstMessages();
  const { isChanged, more } = changes;
  return (
    <span role="status">
      {isChanged && (
        <Button data-key="r" onClick={onTake}>
          {more === undefined ? messages.listChanged : messages.newerRows(more)}
        </Button>
      )}
    </span>
  );
}
