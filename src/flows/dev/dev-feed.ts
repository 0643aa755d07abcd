import { reportOfError } from '#kernel/errors/error-report';
import type { DevEvents } from '#platform/index';
import type { AgentLogLine } from '../agent-worker/worker-protocol.ts';
import type { DevEvent } from './dev-event.ts';

/** Lines of the log of the agent that a page can ask for. */
const keptLines = 200;

/** What pages learn about a session. Tokens and what the code prints stay in the terminal, and the log is asked for. */
const told: ReadonlySet<DevEvent['event']> = new Set([
  'reloaded',
  'restarted',
  'error',
  'request-failed',
  'tables-changed',
  'types',
  'permissions',
]);
/** After them, the code in service is that of the last save. */
const loads: ReadonlySet<DevEvent['event']> = new Set(['ready', 'reloaded']);

/** Hands the events of a session to the pages of its console. */
export interface DevFeed extends DevEvents {
  tell(event: DevEvent): void;
  /** Keeps a line of the log of the agent for those who ask. */
  note(line: AgentLogLine): void;
  /** Tells an event here, and then where it was told before. */
  before(tell: (event: DevEvent) => void): (event: DevEvent) => void;
}

/** A page that opens later hears what is wrong with the code of the last save. */
export function createDevFeed(): DevFeed {
  const listeners = new Set<(event: Readonly<Record<string, unknown>>) => void>();
  const standing = new Map<'error' | 'types', Readonly<Record<string, unknown>>>();
  let lines: readonly AgentLogLine[] = [];
  const feed: DevFeed = {
    note: (line) => {
      lines = [...lines, line].slice(-keptLines);
    },
    log: () => [...lines],
    tell: (event) => {
      if (loads.has(event.event)) standing.delete('error');
      if (!told.has(event.event)) return;
      const shown = 'error' in event ? { ...event, error: reportOfError(event.error) } : { ...event };
      if (event.event === 'error' || event.event === 'types') standing.set(event.event, shown);
      for (const listener of listeners) listener(shown);
    },
    subscribe: (listener) => {
      for (const event of standing.values()) listener(event);
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    before: (tell) => (event) => {
      feed.tell(event);
      tell(event);
    },
  };
  return feed;
}
