import type { ConnectionOptions } from 'node:tls';
import { isCloudError } from '#kernel/errors/cloud-error';
import type { PostgresParameters } from '#kernel/ports/postgres-pool';
import { ConnectionPool } from '../database/connection-pool.ts';
import { createPostgresClient } from './postgres-client.ts';
import { createPostgresConnection, type PostgresConnection } from './postgres-connection.ts';
import { checkRole, createHostChoice, type PostgresServer, roleQuery } from './postgres-hosts.ts';
import type { QuickRead } from './postgres-quick-read.ts';
import type { PostgresStatements } from './postgres-statements.ts';
import { bindingFailed, connectError, negotiateTls, passwordMissing } from './postgres-tls.ts';

/** The connections to one database. Quick reads may share one. */
export type PostgresConnectionPool = ConnectionPool<PostgresConnection, QuickRead>;

const defaultPoolSize = 5;
const defaultConnectTimeoutMs = 5000;
const defaultStatementTimeoutMs = 30_000;
const keptIdleMs = 30_000;

/** How long one statement may run, in milliseconds; `0` means no limit. */
export function statementTimeoutOf({ statementTimeoutMs = defaultStatementTimeoutMs }: PostgresParameters): number {
  return statementTimeoutMs;
}

export function createPostgresConnectionPool(
  parameters: PostgresParameters,
  statements: PostgresStatements,
): PostgresConnectionPool {
  const { connectTimeoutMs = defaultConnectTimeoutMs, poolSize = defaultPoolSize } = parameters;
  const statementTimeoutMs = statementTimeoutOf(parameters);
  const hosts = createHostChoice(parameters);
  /** How to encrypt connections, by server. */
  const tls = new Map<PostgresServer, Promise<ConnectionOptions | undefined>>();
  let isPoolerLookedFor = !(parameters.preparedStatements ?? true);

  function open(onLost: (connection: PostgresConnection) => void): Promise<PostgresConnection> {
    return hosts.open(
      (server) => openAt(server, onLost),
      (connection) => connection.close(),
    );
  }

  async function openAt(
    server: PostgresServer,
    onLost: (connection: PostgresConnection) => void,
  ): Promise<PostgresConnection> {
    const settings = {
      address: server,
      tls: await tlsOf(server),
      connectTimeoutMs,
      statementTimeoutMs,
      statements,
    };
    const client = await createPostgresClient(server, settings.tls, connectTimeoutMs);
    const connection = createPostgresConnection(client, settings, onLost);
    const startedAt = performance.now();
    try {
      await client.connect();
    } catch (error) {
      client.connection.stream.destroy();
      throw failureOf(error, server, performance.now() - startedAt >= connectTimeoutMs);
    }
    try {
      if (server.target !== 'any') checkRole((await connection.control(roleQuery)).rows[0], server);
      if (!isPoolerLookedFor) await lookForPooler(connection);
      if (parameters.greeting) {
        const { sql, onAnswer } = parameters.greeting;
        onAnswer((await connection.control(sql)).rows[0] ?? {});
      }
      if (parameters.plans === 'generic') await connection.control('set plan_cache_mode = force_generic_plan');
    } catch (error) {
      await connection.close();
      throw error;
    }
    return connection;
  }

  /** Asks a server once. One that did not answer is asked again. */
  async function tlsOf(server: PostgresServer): Promise<ConnectionOptions | undefined> {
    const asked = tls.get(server) ?? negotiateTls(server, connectTimeoutMs);
    tls.set(server, asked);
    try {
      return await asked;
    } catch (error) {
      tls.delete(server);
      throw error;
    }
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

function failureOf(error: unknown, server: PostgresServer, isTimeout: boolean): unknown {
  if (isCloudError(error)) return error;
  const ofBinding = error instanceof Error && error.message.startsWith('SASL channel binding');
  if (ofBinding) return bindingFailed('the driver does not know how the certificate of the server is signed', error);
  const hasCode = error instanceof Error && 'code' in error;
  // When the server asks for a password and there is none, the driver fails by itself, without a code.
  if (!isTimeout && !hasCode && !server.password) return passwordMissing(error);
  return connectError(error, server);
}
