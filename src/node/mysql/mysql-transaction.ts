import type { Connection } from 'mysql2';
import type { SqlParameter, SqlRow, SqlValue } from '#kernel/ports/sql-row';
import { lostDuringCommit, transactionIsOver } from '../database/database-errors.ts';
import { endsTransaction, isUndone, isUsableAfter, mysqlError } from './mysql-errors.ts';
import { carryOut, type MysqlResult, type StatementOptions } from './mysql-statement.ts';

/** A connection in the middle of a transaction; statements run one after another. */
export interface MysqlSession {
  all(sql: string, parameters: readonly SqlParameter[]): Promise<readonly SqlRow[]>;
  /** How many rows the statement matched. */
  run(sql: string, parameters: readonly SqlParameter[]): Promise<number>;
  /** Carry out an INSERT of one row; the number that `auto_increment`, a trigger or the statement gave it. */
  insert(sql: string, parameters: readonly SqlParameter[]): Promise<SqlValue>;
}

export interface OpenTransaction {
  readonly session: MysqlSession;
  /** Rejects with `DATABASE_…`, also when the server has undone the transaction before and the caller ignored that. */
  commit(): Promise<void>;
  /** Never throws. */
  rollBack(): Promise<void>;
}

/**
 * The transaction that was begun on `connection`. When a deadlock ends its first statement, the transaction begins again: nobody
 * has seen a result of it. Later statements are not repeated, because the caller may have acted on a result. One that has
 * waited too long for a lock is not repeated either: it would wait, and keep its connection, again.
 */
export function transactionOn(connection: Connection, options: StatementOptions): OpenTransaction {
  let isOpen = true;
  let statements = 0;
  /**
   * Set when the transaction is over: the server would commit each further statement at once, outside of any
   * transaction.
   */
  let end: { readonly reason: unknown } | undefined;
  let last: Promise<unknown> = Promise.resolve();

  async function beginAgain(): Promise<void> {
    await control(connection, 'rollback', options);
    await control(connection, 'start transaction', options);
  }

  async function execute(sql: string, parameters: readonly SqlParameter[]): Promise<MysqlResult> {
    if (end) throw end.reason;
    const isFirst = statements++ === 0;
    const isRepeatable = (error: unknown) => isFirst && isUndone(error);
    try {
      return await repeating(() => carryOut(connection, sql, parameters, options), isRepeatable, beginAgain);
    } catch (error) {
      const reason = mysqlError(error);
      if (endsTransaction(error)) end = { reason };
      throw reason;
    }
  }

  /** One statement at a time: each must know whether the one before has ended the transaction. */
  function inTurn(sql: string, parameters: readonly SqlParameter[]): Promise<MysqlResult> {
    if (!isOpen) throw transactionIsOver();
    const turn = last.then(() => execute(sql, parameters));
    last = turn.catch(() => undefined);
    return turn;
  }

  return {
    session: {
      all: async (sql, parameters) => (await inTurn(sql, parameters)).rows,
      run: async (sql, parameters) => (await inTurn(sql, parameters)).changes,
      insert: async (sql, parameters) => (await inTurn(sql, parameters)).insertId ?? null,
    },
    async commit() {
      isOpen = false;
      await last;
      if (end) throw end.reason;
      try {
        await control(connection, 'commit', options);
      } catch (error) {
        const reason = isUsableAfter(error) ? mysqlError(error) : lostDuringCommit(error);
        end = { reason };
        throw reason;
      }
    },
    async rollBack() {
      isOpen = false;
      // The statements that still wait for their turn are refused.
      end ??= { reason: transactionIsOver() };
      await last;
      await rollBackOn(connection, options, end.reason);
    },
  };
}

/** Begin or end a transaction. An abort does not cancel this statement. */
export async function control(connection: Connection, sql: string, options: StatementOptions): Promise<void> {
  await carryOut(connection, sql, [], { ...options, isPrepared: false, signal: undefined });
}

/**
 * Roll back what is left of a transaction. Never throws: a connection that cannot roll back is closed, and the server
 * rolls back by itself.
 *
 * @param after what failed before, if anything. A connection that broke is closed without a rollback.
 */
async function rollBackOn(connection: Connection, options: StatementOptions, after?: unknown): Promise<void> {
  if (!isUsableAfter(after)) {
    connection.destroy();
    return;
  }
  try {
    await control(connection, 'rollback', options);
  } catch {
    connection.destroy();
  }
}

const maxAttempts = 3;

/** Run `work`, and run it again a few times while `isRepeatable` says that the failure may pass. */
export async function repeating<Result>(
  work: () => Promise<Result>,
  isRepeatable: (error: unknown) => boolean,
  before: () => Promise<void> = async () => {},
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= maxAttempts || !isRepeatable(error)) throw error;
      await before();
    }
  }
}
