import type { Connection } from 'mysql2';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { SqlParameter, SqlRow } from '#kernel/ports/sql-row';
import { carryOut, type StatementOptions } from './mysql-statement.ts';

/**
 * Carry out a query of somebody else's in the read-only transaction that has begun on `connection`, and close the connection.
 * Its variables and locks must not outlive the query, since triggers look at variables of the session.
 *
 * @throws `DATABASE_NATIVE_QUERY_REFUSED`, before anything is carried out, for a statement that is not a query.
 */
export async function carryOutNativeQuery(
  connection: Connection,
  sql: string,
  parameters: readonly SqlParameter[],
  options: StatementOptions,
): Promise<readonly SqlRow[]> {
  try {
    // Only queries and writes can be explained; the transaction refuses the writes.
    await countColumns(connection, `explain ${sql}`);
    if ((await countColumns(connection, sql)) === 0) throw returnsNoRows();
    return (await carryOut(connection, sql, parameters, { ...options, isPrepared: true })).rows;
  } catch (error) {
    throw nativeQueryError(error);
  } finally {
    connection.destroy();
  }
}

/** What a statement will return is known once it is prepared, before it is carried out. */
function countColumns(connection: Connection, sql: string): Promise<number> {
  return new Promise((resolve, reject) => {
    connection.prepare(sql, (error, statement) => {
      if (error) reject(error);
      else resolve('columns' in statement && Array.isArray(statement.columns) ? statement.columns.length : 0);
    });
  });
}

function returnsNoRows(): CloudError {
  return cloudError(
    'DATABASE_NATIVE_QUERY_REFUSED',
    'A native query must be a statement that returns rows.',
    'Write one SELECT.',
  );
}

/** The server names the place of a syntax error, and with it the SQL: only that there is one may be told. */
function nativeQueryError(error: unknown): unknown {
  if (!(error instanceof Error && 'errno' in error)) return error;
  if (error.errno === writesInReadOnly) {
    return cloudError('DATABASE_NATIVE_QUERY_REFUSED', 'A native query may only read.', 'Write one SELECT.', {
      cause: error,
    });
  }
  const isOfTheQuery = typeof error.errno === 'number' && queryMistakes.has(error.errno);
  if (!isOfTheQuery) return error;
  return cloudError(
    'DATABASE_NATIVE_QUERY_REFUSED',
    'The native query has an error, names something that does not exist, or is more than one statement.',
    'Correct the query; try it in a client of the database to see what is wrong.',
    { safeDetails: { mysqlErrno: error.errno }, cause: error },
  );
}

const writesInReadOnly = 1792;

const queryMistakes: ReadonlySet<number> = new Set([1052, 1054, 1064, 1109, 1146, 1149, 1247, 1295, 1305, 1582]);
