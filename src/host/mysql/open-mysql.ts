import type { Connection } from 'mysql2';
import { CloudError } from '#kernel/errors/cloud-error';
import type { SqlParameter, SqlRow } from '#kernel/ports/sql-row';
import { createMysqlConnectionPool, type MysqlConnectionPool } from './mysql-connection-pool.ts';
import { control, rollBackOn } from './mysql-control.ts';
import { isLostConnection, isUndone, mysqlError } from './mysql-errors.ts';
import { type MysqlParameters, silenceLimitOf } from './mysql-options.ts';
import { repeating } from './mysql-retry.ts';
import { carryOut, type StatementOptions } from './mysql-statement.ts';
import { type MysqlSession, transactionOn } from './mysql-transaction.ts';

export type { MysqlParameters } from './mysql-options.ts';
export type { MysqlSession } from './mysql-transaction.ts';

export interface MysqlWorkOptions {
  /** An abort cancels the running statement in the database. */
  readonly signal?: AbortSignal | undefined;
}

/** A MariaDB or MySQL database behind a pool of connections. */
export interface MysqlDatabase {
  all(sql: string, parameters: readonly SqlParameter[], options?: MysqlWorkOptions): Promise<readonly SqlRow[]>;
  /** Run `work` in one transaction: committed when it resolves, rolled back when it rejects. */
  transaction<Result>(work: (session: MysqlSession) => Promise<Result>, options?: MysqlWorkOptions): Promise<Result>;
  /**
   * Carry out one statement that returns rows, in a transaction in which the server refuses every write.
   *
   * @throws `DATABASE_NATIVE_QUERY_REFUSED`, before anything is carried out when the statement returns no rows.
   */
  readOnly(sql: string, parameters: readonly SqlParameter[], options?: MysqlWorkOptions): Promise<readonly SqlRow[]>;
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
      translating(() => readNatively(pool, sql, parameters_, optionsWith(options))),
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

function readNatively(
  pool: MysqlConnectionPool,
  sql: string,
  parameters: readonly SqlParameter[],
  options: StatementOptions,
): Promise<readonly SqlRow[]> {
  return useBegun(pool, 'start transaction read only', options, async (connection) => {
    try {
      if ((await countColumns(connection, sql)) === 0) throw returnsNoRows();
      const { rows } = await carryOut(connection, sql, parameters, { ...options, isPrepared: true });
      await rollBackOn(connection, options);
      return rows;
    } catch (error) {
      await rollBackOn(connection, options, error);
      throw nativeQueryError(error);
    }
  });
}

/**
 * How many columns a statement will return. The server tells when it has prepared the statement, before it carries it
 * out.
 */
function countColumns(connection: Connection, sql: string): Promise<number> {
  return new Promise((resolve, reject) => {
    connection.prepare(sql, (error, statement) => {
      if (error) reject(error);
      else resolve('columns' in statement && Array.isArray(statement.columns) ? statement.columns.length : 0);
    });
  });
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

function returnsNoRows(): CloudError {
  return new CloudError({
    code: 'DATABASE_NATIVE_QUERY_REFUSED',
    message: 'A native query must be a statement that returns rows.',
    nextSteps: ['Write one SELECT.'],
  });
}

/** The message of the server about a mistake shows the SQL, so ours only says that there is a mistake. */
function nativeQueryError(error: unknown): unknown {
  if (!(error instanceof Error && 'errno' in error)) return error;
  const isOfTheQuery = typeof error.errno === 'number' && queryMistakes.has(error.errno);
  if (!isOfTheQuery) return error;
  return new CloudError({
    code: 'DATABASE_NATIVE_QUERY_REFUSED',
    message: 'The native query has an error, names something that does not exist, or is more than one statement.',
    nextSteps: ['Correct the query; try it in a client of the database to see what is wrong.'],
    safeDetails: { mysqlErrno: error.errno },
    cause: error,
  });
}

const queryMistakes: ReadonlySet<number> = new Set([1052, 1054, 1064, 1109, 1146, 1149, 1247, 1295, 1305, 1582]);
