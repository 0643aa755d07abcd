import type { ConnectionOptions } from 'node:tls';
import type { PostgresParameters } from '#kernel/ports/postgres-pool';
import { ConnectionPool } from '../database/connection-pool.ts';
import { createPostgresClient } from './postgres-client.ts';
import { createPostgresConnection, type PostgresConnection } from './postgres-connection.ts';
import type { QuickRead } from './postgres-quick-read.ts';
import type { PostgresStatements } from './postgres-statements.ts';
import { connectError, negotiateTls, passwordMissing } from './postgres-tls.ts';

/** The connections to one database. Quick reads may share one. */
export type PostgresConnectionPool = ConnectionPool<PostgresConnection, QuickRead>;

const defaultPoolSize = 5;
const defaultConnectTimeoutMs = 5000;
const defaultStatementTimeoutMs = 30_000;
const keptIdleMs = 30_000;

/** How long one statement may run, in milliseconds; `0` is no limit. */
export function statementTimeoutOf({ statementTimeoutMs = defaultStatementTimeoutMs }: PostgresParameters): number {
  return statementTimeoutMs;
}

export function createPostgresConnectionPool(
  parameters: PostgresParameters,
  statements: PostgresStatements,
): PostgresConnectionPool {
  const { host, port = 5432, connectTimeoutMs = defaultConnectTimeoutMs, poolSize = defaultPoolSize } = parameters;
  const statementTimeoutMs = statementTimeoutOf(parameters);
  const address = { host, port };
  let tls: Promise<ConnectionOptions | undefined> | undefined;
  let isPoolerLookedFor = !(parameters.preparedStatements ?? true);

  async function open(onLost: (connection: PostgresConnection) => void): Promise<PostgresConnection> {
    tls ??= negotiateTls(parameters, connectTimeoutMs);
    const settings = {
      address,
      tls: await tls.catch(negotiateAgain),
      connectTimeoutMs,
      statementTimeoutMs,
      statements,
    };
    const client = await createPostgresClient(parameters, settings.tls, connectTimeoutMs);
    const connection = createPostgresConnection(client, settings, onLost);
    const startedAt = performance.now();
    try {
      await client.connect();
    } catch (error) {
      client.connection.stream.destroy();
      throw failureOf(error, parameters, performance.now() - startedAt >= connectTimeoutMs);
    }
    try {
      if (!isPoolerLookedFor) await lookForPooler(connection);
      if (parameters.plans === 'generic') await connection.control('set plan_cache_mode = force_generic_plan');
    } catch (error) {
      await connection.close();
      throw error;
    }
    return connection;
  }

  function negotiateAgain(error: unknown): never {
    tls = undefined;
    throw error;
  }

  /**
   * Look for a pooler in front of the database. It may give each transaction another connection, which has not prepared
   * the same statements. To notice that in the middle of a transaction would be too late.
   */
  async function lookForPooler(connection: PostgresConnection): Promise<void> {
    if (await connection.isPooled()) statements.giveUp();
    isPoolerLookedFor = true;
  }

  return new ConnectionPool(
    { open, isUsable: (connection) => connection.isUsable(), close: (connection) => connection.close() },
    { size: poolSize, waitMs: connectTimeoutMs, keptIdleMs },
  );
}

function failureOf(error: unknown, parameters: PostgresParameters, isTimeout: boolean): unknown {
  const hasCode = error instanceof Error && 'code' in error;
  // When the server asks for a password and there is none, the driver fails by itself, without a code.
  if (!isTimeout && !hasCode && !parameters.password) return passwordMissing(error);
  return connectError(error, parameters);
}
