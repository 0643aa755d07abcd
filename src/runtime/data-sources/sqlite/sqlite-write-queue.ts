import { setTimeout as delay } from 'node:timers/promises';
import { isCloudError } from '#kernel/errors/cloud-error';
import type { SqlValue } from '#kernel/ports/sql-row';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import { interrupted, transactionIsOver } from '#node/database/database-errors';
import type { SqlEngine, SqlTransaction } from '../sql/sql-engine.ts';

/** The pauses between two checks of a lock that another process holds, in milliseconds. */
const firstPauseMs = 1;
const longestPauseMs = 50;

/** How long nobody has written when the log is emptied into the file, in milliseconds. */
const restMs = 1_000;

export interface WriteQueue {
  readonly transaction: SqlEngine['transaction'];
  /** Whether the log of changes beside the file may hold some that the file lacks. */
  hasOpenLog(): boolean;
  /** Nothing is begun by itself any more. */
  end(): void;
}

/**
 * SQLite has one writer: transactions of the agent wait for one another here, not in the database. After a while without them, the file holds
 * everything by itself: people copy it, and put another one in its place, without the log beside it.
 *
 * @param writer without a busy timeout of its own, which would hold up the whole thread.
 * @param patienceMs how long a transaction waits for the writer of another process before `DATABASE_BUSY`.
 */
export function createWriteQueue(writer: SqliteConnection, patienceMs: number): WriteQueue {
  let last: Promise<unknown> = Promise.resolve();
  let hasOpenLog = false;
  let rest: NodeJS.Timeout | undefined;
  let isEnded = false;

  function emptyLog(): void {
    // The end of the transaction sets the next time.
    if (writer.isInTransaction()) return;
    if (isEmptied(writer)) hasOpenLog = false;
    else restAgain();
  }

  function restAgain(): void {
    clearTimeout(rest);
    if (!isEnded) rest = setTimeout(emptyLog, restMs).unref();
  }

  return {
    transaction(work, context) {
      const result = last.then(async () => {
        await beginWriting(writer, patienceMs, context.signal);
        hasOpenLog = true;
        try {
          return await transact(writer, work);
        } finally {
          restAgain();
        }
      });
      last = result.catch(() => undefined); // The caller gets the failure, and the next one runs all the same.
      return result;
    },
    hasOpenLog: () => hasOpenLog,
    end() {
      isEnded = true;
      clearTimeout(rest);
    },
  };
}

/** False while somebody else reads, and where the disk is full, which the next write reports. */
function isEmptied(writer: SqliteConnection): boolean {
  try {
    return writer.all('pragma wal_checkpoint(truncate)')[0]?.['busy'] === 0;
  } catch (error) {
    if (isCloudError(error)) return false;
    throw error;
  }
}

/** SQLite does not tell when its lock comes free, so this checks again and again. */
async function beginWriting(writer: SqliteConnection, patienceMs: number, signal?: AbortSignal): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    if (signal?.aborted) throw interrupted();
    try {
      writer.execute('begin immediate');
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
    }
    await delay(pauseMs);
  }
}

function isBusy(error: unknown): boolean {
  return isCloudError(error) && error.code === 'DATABASE_BUSY';
}

/** Carry out `work` in the transaction that has been begun. */
async function transact<Result>(
  writer: SqliteConnection,
  work: (transaction: SqlTransaction) => Promise<Result>,
): Promise<Result> {
  /**
   * The reason why no statement runs any more: the database would commit each one at once, or with those of another writer.
   */
  let end: { readonly reason: unknown } | undefined;
  let isOver = false;

  function step<Value>(carryOut: () => Value): Value {
    if (isOver) throw transactionIsOver();
    if (end) throw end.reason;
    try {
      return carryOut();
    } catch (error) {
      // A trigger, a full disk and the like undo the whole transaction, not only the statement.
      if (!writer.isInTransaction()) end = { reason: error };
      throw error;
    }
  }

  try {
    const result = await work({
      all: async (sql, parameters) => step(() => writer.all(sql, parameters as SqlValue[])),
      run: async (sql, parameters) => step(() => writer.run(sql, parameters as SqlValue[]).changes),
    });
    step(() => writer.execute('commit'));
    return result;
  } catch (error) {
    if (writer.isInTransaction()) writer.execute('rollback');
    throw error;
  } finally {
    isOver = true;
  }
}
