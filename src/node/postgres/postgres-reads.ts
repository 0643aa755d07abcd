import type { SqlParameter, SqlRow } from '#kernel/ports/sql-row';
import { closed, interrupted } from '../database/database-errors.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import type { PostgresConnectionPool } from './postgres-connection-pool.ts';
import { createPostgresPipeline, isQuick, type PostgresPipeline } from './postgres-pipeline.ts';
import type { QuickRead } from './postgres-quick-read.ts';
import type { KnownStatement, PostgresStatements } from './postgres-statements.ts';

/** Carries out one read on any connection. */
export type PostgresRead = (
  sql: string,
  parameters: readonly SqlParameter[],
  signal: AbortSignal | undefined,
) => Promise<readonly SqlRow[]>;

interface PostgresReadOptions {
  readonly statementTimeoutMs: number;
  /** Whether reads may share a connection at all. */
  readonly isSharing: boolean;
}

/**
 * Reads that are known to be quick share a connection as long as there are several at a time. Every other read has a
 * connection to itself. Sharing costs the agent and the database less than a connection for each.
 */
export function createPostgresReads(
  pool: PostgresConnectionPool,
  statements: PostgresStatements,
  { statementTimeoutMs, isSharing }: PostgresReadOptions,
): PostgresRead {
  let latest: PostgresPipeline | undefined;

  /** Reads that wait get room before reads that come now. */
  function fill(pipeline: PostgresPipeline): void {
    pool.offerRoom((read) => {
      if (!pipeline.hasRoomFor(read.statement)) return false;
      pipeline.send(read);
      return true;
    });
  }

  function begin(connection: PostgresConnection, first: QuickRead): void {
    const pipeline = createPostgresPipeline(connection, pool, {
      statementTimeoutMs,
      onAnswer: () => fill(pipeline),
      onEnd: () => pool.release(connection),
    });
    latest = pipeline;
    pipeline.send(first);
    fill(pipeline);
  }

  /** Read over a shared connection. Resolves with nothing when the read needs a connection of its own instead. */
  function share(
    statement: KnownStatement,
    ...[sql, parameters, signal]: Parameters<PostgresRead>
  ): Promise<readonly SqlRow[] | undefined> {
    return new Promise((resolve, reject) => {
      const read: QuickRead = { statement, sql, parameters, signal, resolve, reject };
      if (latest?.hasRoomFor(statement) && !pool.hasShareable()) latest.send(read);
      else pool.request({ shareable: read, signal, serve: (connection) => begin(connection, read), refuse: reject });
    });
  }

  return async (sql, parameters, signal) => {
    if (!pool.isOpen()) throw closed();
    if (signal?.aborted) throw interrupted();
    const statement = isSharing ? statements.find(sql) : undefined;
    if (statement && isQuick(statement)) {
      const rows = await share(statement, sql, parameters, signal);
      if (rows) return rows;
    }
    const connection = await pool.acquire(signal);
    try {
      return (await connection.execute(sql, parameters, { signal })).rows;
    } finally {
      pool.release(connection);
    }
  };
}
