import { type CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { PostgresSession } from '#kernel/ports/postgres-pool';
import type { SqlParameter } from '#kernel/ports/sql-row';
import { lostDuringCommit, transactionIsOver } from '../database/database-errors.ts';
import type { PostgresResult } from './postgres-client.ts';
import type { PostgresConnection } from './postgres-connection.ts';

export interface OpenTransaction {
  readonly session: PostgresSession;
  commit(): Promise<void>;
  /** Never throws: a connection that cannot roll back is lost, and the database rolls back by itself. */
  rollBack(): Promise<void>;
}

export interface TransactionOptions {
  readonly signal?: AbortSignal | undefined;
  readonly isReadOnly: boolean;
  /** Whether a statement that failed like this may succeed when the transaction starts again. */
  isRetryable(error: unknown, attempt: number): boolean;
}

/**
 * Begin a transaction on `connection`. When its first statement fails because of other transactions, it is tried again
 * in a new transaction: nobody has seen a result of the old one. Later statements are not, because the caller may have
 * acted on a result.
 */
export async function beginTransaction(
  connection: PostgresConnection,
  options: TransactionOptions,
): Promise<OpenTransaction> {
  const { signal } = options;
  let isOpen = true;
  let hasResults = false;
  /** The failure after which PostgreSQL carries out nothing more of the transaction, without saying why. */
  let failure: unknown;
  let last: Promise<unknown> = Promise.resolve();
  const begin = () => connection.control(options.isReadOnly ? 'begin read only' : 'begin');

  async function execute(sql: string, parameters: readonly SqlParameter[]): Promise<PostgresResult> {
    for (let attempt = 1; ; attempt++) {
      try {
        const result = await connection.execute(sql, parameters, { signal, isOneOff: options.isReadOnly });
        hasResults = true;
        return result;
      } catch (error) {
        // Asked in any case, because it also corrects what made the statement fail.
        const isRetryable = options.isRetryable(error, attempt);
        if (!isRetryable || hasResults || !isOpen || connection.isLost()) {
          if (isAfterFailure(error)) throw undoneBefore(failure ?? error);
          failure = error;
          throw error;
        }
        await connection.control('rollback');
        await begin();
      }
    }
  }

  /** A connection carries out one statement at a time. */
  function inTurn(sql: string, parameters: readonly SqlParameter[]): Promise<PostgresResult> {
    if (!isOpen) throw transactionIsOver();
    const turn = last.then(() => execute(sql, parameters));
    last = turn.catch(() => undefined);
    return turn;
  }

  await begin();
  return {
    session: {
      all: async (sql, parameters = []) => (await inTurn(sql, parameters)).rows,
      run: async (sql, parameters = []) => (await inTurn(sql, parameters)).rowCount ?? 0,
    },
    async commit() {
      isOpen = false;
      await last;
      if (options.isReadOnly) {
        // There is nothing to keep, and a setting that a statement changed must not stay.
        await connection.control('rollback');
        return;
      }
      const result = await commitOn(connection);
      // After a failed statement, PostgreSQL answers the commit with a rollback.
      if (result.command !== 'COMMIT') throw undoneBefore(failure);
    },
    async rollBack() {
      isOpen = false;
      await last;
      if (connection.isLost()) return;
      try {
        await connection.control('rollback');
      } catch {
        connection.giveUp();
      }
    },
  };
}

async function commitOn(connection: PostgresConnection): Promise<PostgresResult> {
  try {
    return await connection.control('commit');
  } catch (error) {
    if (!connection.isLost()) throw error;
    throw lostDuringCommit(error);
  }
}

function isAfterFailure(error: unknown): boolean {
  return isCloudError(error) && error.safeDetails['sqlState'] === '25P02';
}

function undoneBefore(failure: unknown): CloudError {
  const reason = isCloudError(failure) ? ` It said: ${failure.message}` : '';
  return cloudError(
    'DATABASE_QUERY_FAILED',
    `PostgreSQL undid the transaction when a statement of it failed, and code went on.${reason}`,
    'Let code that writes pass the error on. To go on without it, look first whether the write can succeed.',
    { cause: failure },
  );
}
