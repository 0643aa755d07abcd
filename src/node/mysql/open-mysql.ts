import type { Connection } from 'mysql2';
import type { SqlParameter, SqlRow } from '#kernel/ports/sql-row';
import { createMysqlConnectionPool, type MysqlConnectionPool } from './mysql-connection-pool.ts';
import { isLostConnection, isUndone, mysqlError } from './mysql-errors.ts';
import { carryOutNativeQuery } from './mysql-native-query.ts';
import { killLimitOf, type MysqlParameters, silenceLimitOf } from './mysql-options.ts';
import { carryOut, type StatementOptions } from './mysql-statement.ts';
import { control, type MysqlSession, repeating, transactionOn } from './mysql-transaction.ts';

export type { MysqlParameters } from './mysql-options.ts';
export type { MysqlSession } from './mysql-transaction.ts';

interface MysqlWorkOptions {
  /** An abort cancels the running statement in the database. */
  readonly signal?: AbortSignal | undefined;
}

/** A MariaDB or MySQL database behind a pool of connections. */
export interface MysqlDatabase {
  all(sql: string, parameters: readonly SqlParameter[], options?: MysqlWorkOptions): Promise<readonly SqlRow[]>;
  /** Run `work` in one transaction: committed when it resolves, rolled back when it rejects. */
  transaction<Result>(work: (session: MysqlSession) => Promise<Result>, options?: MysqlWorkOptions): Promise<Result>;
  /**
   * Carry out one query, in a transaction in which the server refuses every write, on a connection that is closed afterwards.
   *
   * @throws `DATABASE_NATIVE_QUERY_REFUSED`, before anything is carried out when the statement is not a query.
   */
  readOnly(sql: string, parameters: readonly SqlParameter[], options?: MysqlWorkOptions): Promise<readonly SqlRow[]>;
  /**
   * Prepare every statement again: after a change of a column, MySQL still gives the parameters of a kept one the types that
   * they had.
   */
  forgetStatements(): void;
  openConnections(): number;
  /** Refuses new queries, and waits for those that are running. */
  close(): Promise<void>;
}

/**
 * Open a database on MariaDB or MySQL. The first query connects. When the server goes away and comes back, the next
 * query finds it again. A read whose connection is lost, or that a deadlock ends, is repeated on another connection. Of
 * a transaction only the first statement is repeated, before anybody has seen a result.
 *
 * Every method rejects with `DATABASE_…` errors, and with `INTERRUPTED` when the signal aborts.
 */
export async function openMysql(parameters: MysqlParameters): Promise<MysqlDatabase> {
  const driver = await import('mysql2');
  const pool = createMysqlConnectionPool(driver.default, parameters);
  const statementOptions: Omit<StatementOptions, 'signal'> = {
    isPrepared: parameters.preparedStatements ?? true,
    timeoutMs: silenceLimitOf(parameters),
    killAfterMs: killLimitOf(parameters),
    integer: (value) => driver.default.TypedParameter.BIGINT(value),
    cancel: pool.cancel,
  };
  const optionsWith = (options: MysqlWorkOptions): StatementOptions => ({
    ...statementOptions,
    signal: options.signal,
  });

  return {
    all: (sql, parameters_, options = {}) =>
      translating(() =>
        repeating(
          () =>
            pool.use(async (connection) => {
              const { rows } = await carryOut(connection, sql, parameters_, optionsWith(options));
              return rows;
            }, options.signal),
          (error) => isLostConnection(error) || isUndone(error),
        ),
      ),
    transaction: (work, options = {}) => transact(pool, work, optionsWith(options)),
    readOnly: (sql, parameters_, options = {}) =>
      translating(() => {
        const statement = optionsWith(options);
        return useBegun(pool, 'start transaction read only', statement, (connection) =>
          carryOutNativeQuery(connection, sql, parameters_, statement),
        );
      }),
    forgetStatements: pool.replaceConnections,
    openConnections: pool.openConnections,
    close: pool.close,
  };
}

type Outcome<Result> = { readonly result: Result } | { readonly failure: unknown };

/** Throws what `work` throws unchanged, whatever code it carries. */
async function transact<Result>(
  pool: MysqlConnectionPool,
  work: (session: MysqlSession) => Promise<Result>,
  options: StatementOptions,
): Promise<Result> {
  const outcome = await translating(() =>
    useBegun(pool, 'start transaction', options, async (connection): Promise<Outcome<Result>> => {
      const transaction = transactionOn(connection, options);
      try {
        const result = await work(transaction.session);
        await transaction.commit();
        return { result };
      } catch (error) {
        await transaction.rollBack();
        return { failure: error };
      }
    }),
  );
  if ('result' in outcome) return outcome.result;
  throw outcome.failure;
}

/**
 * Begin a transaction and run `work` in it. When the connection is lost before `work` runs, another one takes its
 * place.
 */
function useBegun<Result>(
  pool: MysqlConnectionPool,
  begin: string,
  options: StatementOptions,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  let isBegun = false;
  return repeating(
    () =>
      pool.use(async (connection) => {
        await control(connection, begin, options);
        isBegun = true;
        return work(connection);
      }, options.signal),
    (error) => !isBegun && isLostConnection(error),
  );
}

async function translating<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw mysqlError(error);
  }
}
