import { UnderWay } from '#kernel/async/under-way';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { interrupted } from './database-errors.ts';

/** A request for a connection, which is served or refused once. */
export interface ConnectionRequest<Connection, Shareable = never> {
  /** What can also be sent over a connection that others use. Absent for a request that needs a connection to itself. */
  readonly shareable?: Shareable;
  /** Aborts when nobody waits for the connection any more. */
  readonly signal?: AbortSignal | undefined;
  serve(connection: Connection): void;
  refuse(error: unknown): void;
}

/** The requests that wait for a connection, in the order in which they came. */
export interface ConnectionQueue<Connection, Shareable> {
  length(): number;
  hasShareable(): boolean;
  /**
   * Put a request at the end, whose signal has not aborted. The queue refuses it with `DATABASE_BUSY` when too many wait
   * already or, where it `hasDeadline`, when it has waited for too long; and with `INTERRUPTED` when its signal aborts.
   */
  join(request: ConnectionRequest<Connection, Shareable>, hasDeadline: boolean): void;
  /** Take out the request that came first. */
  takeFirst(): ConnectionRequest<Connection, Shareable> | undefined;
  /** Offer room on a shared connection: `take` gets what can share it, first come first served, until it returns `false`. */
  offerRoom(take: (shareable: Shareable) => boolean): void;
}

interface Waiting<Request> {
  readonly request: Request;
  /** Stops its clock and its wait for the signal. */
  stop(): void;
}

const maxWaitingPerConnection = 100;

/**
 * A queue for a pool of `size` connections.
 *
 * @param waitMs how long a request waits before it is refused, in milliseconds.
 */
export function createConnectionQueue<Connection, Shareable = never>(
  size: number,
  waitMs: number,
): ConnectionQueue<Connection, Shareable> {
  type Request = ConnectionRequest<Connection, Shareable>;
  const waiting = new UnderWay<Waiting<Request>>();

  function leave(waits: Waiting<Request>): void {
    waits.stop();
    waiting.delete(waits);
  }

  return {
    length: () => waiting.size,
    hasShareable() {
      for (const { request } of waiting) if (request.shareable !== undefined) return true;
      return false;
    },
    join(request, hasDeadline) {
      if (waiting.size >= size * maxWaitingPerConnection) {
        request.refuse(busy(size, 'and too many requests wait for one'));
        return;
      }
      const { signal } = request;
      const refuse = (error: CloudError) => {
        leave(waits);
        request.refuse(error);
      };
      const onAbort = () => refuse(interrupted());
      const onDeadline = () => refuse(busy(size, `and none came free within ${waitMs} ms`));
      const timer = hasDeadline ? setTimeout(onDeadline, waitMs) : undefined;
      signal?.addEventListener('abort', onAbort, { once: true });
      const stop = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      const waits = { request, stop };
      waiting.add(waits);
    },
    takeFirst() {
      const first = waiting.first();
      if (first) leave(first);
      return first?.request;
    },
    offerRoom(take) {
      for (const waits of waiting) {
        const { shareable } = waits.request;
        if (shareable === undefined) continue;
        if (!take(shareable)) return;
        leave(waits);
      }
    },
  };
}

function busy(size: number, why: string): CloudError {
  return cloudError(
    'DATABASE_BUSY',
    `All ${size} connections to the database are in use, ${why}.`,
    'Try again, find out which queries are slow, or raise the size of the connection pool.',
  );
}
