import { randomInt } from 'node:crypto';
import { isCloudError } from '#kernel/errors/cloud-error';
import type { PostgresParameters, PostgresPool } from '#kernel/ports/postgres-pool';
import type { SqlParameter, SqlRow } from '#kernel/ports/sql-row';
import { refusedWriteOf } from '../database/database-errors.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import { createPostgresConnectionPool, statementTimeoutOf } from './postgres-connection-pool.ts';
import { withViolatedColumns } from './postgres-constraint-errors.ts';
import { postgresFailure } from './postgres-errors.ts';
import { createPostgresReads } from './postgres-reads.ts';
import { isWorthRetrying } from './postgres-retry.ts';
import { createPostgresStatements } from './postgres-statements.ts';
import { beginTransaction } from './postgres-transaction.ts';

/**
 * Open a PostgreSQL database behind a small pool of connections. The first statement connects. When the server goes
 * away and comes back, the next statement finds it again. A connection sets only the form of dates, so this also
 * works through poolers in transaction mode.
 *
 * Every method rejects with `DATABASE_UNREACHABLE`, `DATABASE_AUTHENTICATION_FAILED`, `DATABASE_NOT_FOUND`,
 * `DATABASE_TLS_FAILED`, `DATABASE_BUSY`, `DATABASE_TIMEOUT`, `DATABASE_CONSTRAINT_VIOLATED`, `DATABASE_VALUE_REFUSED`,
 * `DATABASE_PERMISSION_DENIED`, `DATABASE_QUERY_FAILED` and `INTERRUPTED`.
 */
export function openPostgres(parameters: PostgresParameters): PostgresPool {
  const statements = createPostgresStatements(parameters.preparedStatements ?? true);
  const pool = createPostgresConnectionPool(parameters, statements);
  const statementTimeoutMs = statementTimeoutOf(parameters);
  const read = createPostgresReads(pool, statements, {
    statementTimeoutMs,
    isSharing: parameters.shareConnections ?? true,
  });

  /** A connection on which `begin` has begun a transaction. */
  async function begun<Begun>(
    signal: AbortSignal | undefined,
    begin: (connection: PostgresConnection) => Promise<Begun>,
  ): Promise<[PostgresConnection, Begun]> {
    for (let attempt = 1; ; attempt++) {
      const connection = await pool.acquire(signal);
      try {
        return [connection, await begin(connection)];
      } catch (error) {
        const hadGone = isStale(error, attempt);
        pool.release(connection);
        if (!hadGone) throw error;
      }
    }
  }

  /** Whether the connection was lost before it was used, so that a new one may work. */
  function isStale(error: unknown, attempt: number): boolean {
    if (!isCloudError(error) || error.code !== 'DATABASE_UNREACHABLE') return false;
    // The other connections are probably lost too: all are replaced.
    statements.startGeneration();
    return attempt === 1;
  }

  return {
    async all(sql, parameters = [], { signal } = {}) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await read(sql, parameters, signal);
        } catch (error) {
          if (!isStale(error, attempt) && !isWorthRetrying(error, attempt, statements)) throw error;
        }
      }
    },
    async transaction(work, { signal, isReadOnly = false } = {}) {
      const isRetryable = (error: unknown, tries: number) => isWorthRetrying(error, tries, statements);
      const [connection, transaction] = await begun(signal, (unused) =>
        beginTransaction(unused, { signal, isReadOnly, isRetryable }),
      );
      try {
        const result = await work(transaction.session);
        await transaction.commit();
        return result;
      } catch (error) {
        await transaction.rollBack();
        throw await namingColumns(error, connection);
      } finally {
        pool.release(connection);
      }
    },
    async nativeQuery(sql, parameters = [], { signal } = {}) {
      const [connection] = await begun(signal, (unused) => unused.control('begin read only'));
      try {
        return await carryOutNativeQuery(connection, sql, parameters, { signal, statementTimeoutMs });
      } finally {
        pool.release(connection);
      }
    },
    forgetStatements: () => statements.startGeneration(),
    openConnections: () => pool.openConnections(),
    close: () => pool.close(),
  };
}

/**
 * The same error with the columns of the violated constraint, if they can be found. Call this after the rollback, because it uses
 * the connection.
 */
async function namingColumns(error: unknown, connection: PostgresConnection): Promise<unknown> {
  if (connection.isLost()) return error;
  const failure = postgresFailure(refusedWriteOf(error)?.cause);
  const ask = async (sql: string, parameters: readonly string[]) => (await connection.execute(sql, parameters)).rows;
  // Without the columns, the error still says which kind of rule was violated.
  return withViolatedColumns(error, failure, ask).catch(() => error);
}

interface NativeQueryOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long the query may run; `0` means no limit. */
  readonly statementTimeoutMs: number;
}

/** How long a query of somebody else's waits for a lock, in milliseconds. */
const lockTimeoutMs = 2000;

const nativeQueryLimits =
  "select pg_catalog.set_config('lock_timeout', $1, true), pg_catalog.set_config('statement_timeout', $2, true)";

const nativeQueryResets = 'select pg_catalog.pg_advisory_unlock_all(), pg_catalog.setseed($1)';

/**
 * Carry out a query of somebody else's in the read-only transaction that has begun on `connection`, and end it. What is no
 * query of a cursor (`do`, `copy`, `lock`, `deallocate`, …) is refused before anything is carried out. The session is
 * afterwards as it was before. Settings are rolled back and locks of the session are released. Everything else that a session
 * keeps takes a statement that is refused. All of that is inside of the transaction, because a pooler may give the next one
 * another session.
 */
async function carryOutNativeQuery(
  connection: PostgresConnection,
  sql: string,
  parameters: readonly SqlParameter[],
  { signal, statementTimeoutMs }: NativeQueryOptions,
): Promise<readonly SqlRow[]> {
  const options = { signal, isOneOff: true };
  try {
    await connection.execute(nativeQueryLimits, [String(lockTimeoutMs), String(statementTimeoutMs)], options);
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
    await connection.execute(nativeQueryResets, [randomInt(2 ** 32) / 2 ** 32], { isOneOff: true });
    await connection.control('rollback');
  } catch {
    connection.giveUp();
  }
}
