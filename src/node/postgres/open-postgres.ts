import { isCloudError } from '#kernel/errors/cloud-error';
import type { PostgresParameters, PostgresPool } from '#kernel/ports/postgres-pool';
import type { PostgresConnection } from './postgres-connection.ts';
import { createPostgresConnectionPool, statementTimeoutOf } from './postgres-connection-pool.ts';
import { carryOutNativeQuery } from './postgres-native-query.ts';
import { createPostgresReads } from './postgres-reads.ts';
import { isWorthRetrying } from './postgres-retry.ts';
import { createPostgresStatements } from './postgres-statements.ts';
import { beginTransaction } from './postgres-transaction.ts';
import { withViolatedColumns } from './postgres-violated-columns.ts';

/**
 * Open a PostgreSQL database behind a small pool of connections. The first statement connects. When the server goes
 * away and comes back, the next statement finds it again. A connection sets nothing but the form of dates, so this also
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
        throw await withViolatedColumns(error, connection);
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
