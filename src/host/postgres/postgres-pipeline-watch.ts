import { interrupted } from '../database/database-errors.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import type { PostgresConnectionPool } from './postgres-connection-pool.ts';
import type { ReadUnderWay } from './postgres-quick-read.ts';

/** What is watched of a pipeline. */
export interface WatchedPipeline {
  /** In the order in which they are carried out. */
  readonly underWay: readonly ReadUnderWay[];
  /** Since when the first is carried out, on the clock of `performance.now()`. */
  headSince(): number;
  /** Take no further reads. */
  close(): void;
}

export interface PipelineWatch {
  /** Stop to watch. Resolves when no cancellation is under way, which would hit the next statement of the connection. */
  end(): Promise<void>;
}

/** A read that is carried out first at two looks in a row is stuck. */
const lookEveryMs = 100;

/** Lets callers go away, and keeps a read that is stuck from holding up those behind it. */
export function watchPipeline(
  { underWay, headSince, close }: WatchedPipeline,
  connection: Pick<PostgresConnection, 'cancel'>,
  pool: Pick<PostgresConnectionPool, 'isOpen'>,
  statementTimeoutMs: number,
): PipelineWatch {
  let lastHead: ReadUnderWay | undefined;
  let cancelling: Promise<unknown> | undefined;

  function look(): void {
    for (const sent of underWay) {
      if (!sent.read.signal?.aborted) continue;
      sent.isLeft = true;
      sent.read.reject(interrupted());
    }
    const [head] = underWay;
    // The process may have been busy: an answer that has come is heard first.
    if (head && head === lastHead) setImmediate(() => head === underWay[0] && onStuck(head));
    lastHead = head;
  }

  function onStuck(head: ReadUnderWay): void {
    close();
    head.isTimedOut ||= statementTimeoutMs > 0 && performance.now() - headSince() >= statementTimeoutMs;
    const isToBeCancelled = head.isTimedOut || head.isLeft;
    // Once the data source is closed there is nowhere else to go, but a cancellation may hit whichever read is next.
    if (pool.isOpen() || isToBeCancelled) {
      for (const sent of underWay.slice(1)) {
        sent.isLeft = true;
        sent.read.resolve(undefined);
      }
    }
    if (head.isCancelled || !isToBeCancelled) return;
    head.isCancelled = true;
    cancelling = Promise.all([cancelling, connection.cancel()]);
  }

  const everyMs = statementTimeoutMs > 0 ? Math.min(lookEveryMs, statementTimeoutMs / 2) : lookEveryMs;
  const interval = setInterval(look, everyMs);
  return {
    async end() {
      clearInterval(interval);
      await cancelling;
    },
  };
}
