import { interrupted } from '../database/database-errors.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import type { PostgresConnectionPool } from './postgres-connection-pool.ts';
import type { ReadUnderWay } from './postgres-quick-read.ts';

/** The pipeline that is watched. */
export interface WatchedPipeline {
  /** The reads without an answer, in the order in which the database carries them out. */
  readonly underWay: readonly ReadUnderWay[];
  /** When the database began with the first of them, on the clock of `performance.now()`. */
  headSince(): number;
  /** Take no further reads. */
  close(): void;
}

export interface PipelineWatch {
  /** Stop watching. Resolves when no cancellation is under way: it would hit the next statement of the connection. */
  end(): Promise<void>;
}

/** The first read is stuck when it has no answer at two looks in a row. */
const lookEveryMs = 100;

/** Answers callers who go away, and lets no stuck read hold up the reads behind it. */
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
    // The process may have been busy: an answer that has arrived comes first.
    if (head && head === lastHead) setImmediate(() => head === underWay[0] && onStuck(head));
    lastHead = head;
  }

  function onStuck(head: ReadUnderWay): void {
    close();
    head.isTimedOut ||= statementTimeoutMs > 0 && performance.now() - headSince() >= statementTimeoutMs;
    const isToBeCancelled = head.isTimedOut || head.isLeft;
    // Once the data source is closed there is no other connection to go to. But a cancellation may hit the next read.
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
