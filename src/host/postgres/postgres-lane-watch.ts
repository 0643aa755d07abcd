import { interrupted } from '../database/database-errors.ts';
import type { Lease } from './postgres-lease.ts';
import type { PostgresLeases } from './postgres-leases.ts';
import type { ReadUnderWay } from './postgres-quick-read.ts';

/** What is watched of a lane. */
export interface WatchedLane {
  /** In the order in which they are carried out. */
  readonly underWay: readonly ReadUnderWay[];
  /** Since when the first is carried out, on the clock of `performance.now()`. */
  headSince(): number;
  /** Take no further reads. */
  close(): void;
}

export interface LaneWatch {
  /** Resolves when no cancellation is under way, which would hit the next statement of the connection. */
  end(): Promise<void>;
}

/** What is not answered between two looks is stuck. */
const lookEveryMs = 100;

/** Callers of a read may go away, and one that is stuck must hold up no other. */
export function watchLane(
  { underWay, headSince, close }: WatchedLane,
  lease: Pick<Lease, 'cancel'>,
  { statementTimeoutMs, isOpen }: Pick<PostgresLeases, 'statementTimeoutMs' | 'isOpen'>,
): LaneWatch {
  let lastHead: ReadUnderWay | undefined;
  let cancelling: Promise<unknown> | undefined;

  function look(): void {
    for (const shared of underWay) {
      if (!shared.read.signal?.aborted) continue;
      shared.isLeft = true;
      shared.settle.reject(interrupted());
    }
    const [head] = underWay;
    // The process may have been busy: an answer that has come is heard first.
    if (head && head === lastHead) setImmediate(() => head === underWay[0] && stuck(head));
    lastHead = head;
  }

  function stuck(head: ReadUnderWay): void {
    close();
    head.isTimedOut ||= statementTimeoutMs > 0 && performance.now() - headSince() >= statementTimeoutMs;
    const isToBeCancelled = head.isTimedOut || head.isLeft;
    // Once the data source is closed there is nowhere else to go, but a cancellation may hit whoever is next.
    if (isOpen() || isToBeCancelled) {
      for (const shared of underWay.slice(1)) {
        shared.isLeft = true;
        shared.settle.resolve(undefined);
      }
    }
    if (head.isCancelled || !isToBeCancelled) return;
    head.isCancelled = true;
    cancelling = Promise.all([cancelling, lease.cancel()]);
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
