import { randomInt } from 'node:crypto';
import type { SqlParameter, SqlRow } from '#kernel/ports/sql-row';
import type { PostgresConnection } from './postgres-connection.ts';

export interface NativeQueryOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long the query may run; `0` is no limit. */
  readonly statementTimeoutMs: number;
}

/** How long a query of somebody else's waits for a lock, in milliseconds. */
const lockTimeoutMs = 2000;

const limits =
  "select pg_catalog.set_config('lock_timeout', $1, true), pg_catalog.set_config('statement_timeout', $2, true)";

const resets = 'select pg_catalog.pg_advisory_unlock_all(), pg_catalog.setseed($1)';

/**
 * Carry out a query of somebody else's in the read-only transaction that has begun on `connection`, and end it. What is no
 * query of a cursor (`do`, `copy`, `lock`, `deallocate`, …) is refused before anything is carried out. The session is
 * afterwards as it was before: settings are rolled back, locks of the session are released, and everything else that a
 * session keeps takes a statement that is refused. All of that is inside of the transaction, because a pooler may give the
 * next one another session.
 */
export async function carryOutNativeQuery(
  connection: PostgresConnection,
  sql: string,
  parameters: readonly SqlParameter[],
  { signal, statementTimeoutMs }: NativeQueryOptions,
): Promise<readonly SqlRow[]> {
  const options = { signal, isOneOff: true };
  try {
    await connection.execute(limits, [String(lockTimeoutMs), String(statementTimeoutMs)], options);
    await connection.control('savepoint native_query');
    // The query itself is carried out apart from the cursor, which would do without parallel workers.
    await connection.execute(`declare native_query no scroll cursor for ${sql}`, parameters, options);
    return (await connection.execute(sql, parameters, options)).rows;
  } finally {
    await resetSession(connection);
  }
}

/** Never throws: a connection that cannot be reset is closed. */
async function resetSession(connection: PostgresConnection): Promise<void> {
  if (connection.isLost()) return;
  try {
    await connection.control('rollback to savepoint native_query');
    await connection.execute(resets, [randomInt(2 ** 32) / 2 ** 32], { isOneOff: true });
    await connection.control('rollback');
  } catch {
    connection.giveUp();
  }
}
