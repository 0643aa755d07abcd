import type { CloudError } from '#kernel/errors/cloud-error';
import type { SqlRow, SqlValue } from '#kernel/ports/sql-row';
import { ConnectionPool } from '#node/database/connection-pool';
import { interrupted, timedOut } from '#node/database/database-errors';
import { ScanReader, type ScanReaderInput } from './scan-thread.ts';

export interface ScanReadersInput extends ScanReaderInput {
  /** Readers at most. */
  readonly size: number;
  /** How long a statement may take, its wait for a reader included, in milliseconds. `0` means no limit. */
  readonly statementTimeoutMs: number;
}

/** Threads for statements that take long, started when they are needed. */
export interface ScanReaders {
  /**
   * Carry out a statement beside the agent's own thread.
   *
   * @throws `DATABASE_TIMEOUT`, `INTERRUPTED` on an abort, `DATABASE_BUSY` when no reader came free in time,
   * `DATABASE_UNREACHABLE` when its thread ended, `DATABASE_QUERY_FAILED`.
   */
  all(sql: string, parameters: readonly SqlValue[], signal?: AbortSignal): Promise<readonly SqlRow[]>;
  /** Threads that are there. */
  count(): number;
  close(): Promise<void>;
}

/** The longest that a timer can wait. */
const noLimitMs = 2 ** 31 - 1;

export function createScanReaders({ size, statementTimeoutMs, ...input }: ScanReadersInput): ScanReaders {
  const limitMs = statementTimeoutMs > 0 ? Math.min(statementTimeoutMs, noLimitMs) : noLimitMs;
  const inUse = new Set<ScanReader>();
  const pool = new ConnectionPool<ScanReader>(
    {
      open: async (onEnd) => new ScanReader(input, onEnd),
      isUsable: (reader) => !reader.isEnded,
      close: (reader) => reader.close(),
    },
    { size, waitMs: limitMs, keptIdleMs: noLimitMs },
  );

  function release(reader: ScanReader): void {
    inUse.delete(reader);
    pool.release(reader);
  }

  return {
    async all(sql, parameters, signal) {
      const deadline = performance.now() + limitMs;
      const reader = await pool.acquire(signal);
      inUse.add(reader);
      const rows = reader.all(sql, parameters);
      // The caller gets the failure. A reader is free afterwards in either case, and not before.
      rows.then(
        () => release(reader),
        () => release(reader),
      );
      const remainingMs = Math.max(1, deadline - performance.now());
      return untilStopped(rows, { signal, limitMs: remainingMs, stop: () => reader.stop() }, statementTimeoutMs);
    },
    count: () => pool.openConnections(),
    async close() {
      // A statement that nothing can stop must not hold up the end.
      const stopped = [...inUse].map((reader) => reader.close());
      await Promise.all([pool.close(), ...stopped]);
    },
  };
}

interface Stopping {
  readonly signal: AbortSignal | undefined;
  readonly limitMs: number;
  stop(): void;
}

/** The caller is answered at the deadline even where the database cannot be stopped. */
function untilStopped<Rows>(
  rows: Promise<Rows>,
  { signal, limitMs, stop }: Stopping,
  statementTimeoutMs: number,
): Promise<Rows> {
  const stopped = Promise.withResolvers<never>();
  const stopWith = (error: CloudError) => {
    stop();
    stopped.reject(error);
  };
  const timer = setTimeout(() => stopWith(timedOut(statementTimeoutMs)), limitMs);
  const onAbort = () => stopWith(interrupted());
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted) onAbort();
  return Promise.race([rows, stopped.promise]).finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  });
}
