import type { Pool, PoolClient } from 'pg';
import type { PostgresParameters } from '#kernel/ports/postgres-pool';
import { createConnectionSlots } from '../database/connection-slots.ts';
import { closed } from '../database/database-errors.ts';
import { createPostgresPool } from './postgres-client.ts';
import { connectError, passwordMissing } from './postgres-connect-errors.ts';
import { createLeasedConnection, type Lease, type LeasedConnection, type LeaseSettings } from './postgres-lease.ts';
import type { PostgresStatements } from './postgres-statements.ts';
import { negotiateTls } from './postgres-tls.ts';

/** Where connections come from. */
export interface PostgresLeases {
  /** A connection that is of use; waits for one for a bounded time. */
  lease(signal?: AbortSignal): Promise<Lease>;
  /** How long one statement may run; `0` is no limit. */
  readonly statementTimeoutMs: number;
  /** Whether all connections are in use. */
  areTaken(): boolean;
  /** Whether somebody waits for a connection. */
  isWaitedFor(): boolean;
  isOpen(): boolean;
  openConnections(): number;
  close(): Promise<void>;
}

interface OpenPool {
  readonly pool: Pool;
  readonly settings: LeaseSettings;
}

const defaultPoolSize = 5;
const defaultConnectTimeoutMs = 5000;
const defaultStatementTimeoutMs = 30_000;

export function createPostgresLeases(parameters: PostgresParameters, statements: PostgresStatements): PostgresLeases {
  const connectTimeoutMs = parameters.connectTimeoutMs ?? defaultConnectTimeoutMs;
  const statementTimeoutMs = parameters.statementTimeoutMs ?? defaultStatementTimeoutMs;
  const size = parameters.poolSize ?? defaultPoolSize;
  const slots = createConnectionSlots(size, connectTimeoutMs);
  const connections = new WeakMap<PoolClient, LeasedConnection>();
  /** On their way to those who were waiting, past the pool. */
  const handedOver: PoolClient[] = [];
  let opening: Promise<OpenPool> | undefined;
  let opened: OpenPool | undefined;
  let closing: Promise<void> | undefined;
  let isProbed = !(parameters.preparedStatements ?? true);

  async function lease(signal?: AbortSignal): Promise<Lease> {
    if (closing) throw closed();
    const giveBack = await slots.take(signal);
    try {
      opening ??= openPool(parameters, size, { connectTimeoutMs, statementTimeoutMs, statements });
      opened ??= await opening;
      const connection = await currentConnection(opened);
      const taken = connection.lease((isUsable) => {
        if (isUsable && slots.isWaitedFor()) handedOver.push(connection.client);
        else connection.client.release(!isUsable);
        giveBack();
      });
      if (!isProbed) await probe(taken);
      return taken;
    } catch (error) {
      if (!opened) opening = undefined;
      giveBack();
      throw error;
    }
  }

  /**
   * A pooler may give each transaction another connection, which has not prepared what the last one had. A lost name
   * would be noticed, but in the middle of a transaction that is too late.
   */
  async function probe(taken: Lease): Promise<void> {
    try {
      if (await taken.isPooled()) statements.giveUp();
      isProbed = true;
    } catch (error) {
      taken.release();
      throw error;
    }
  }

  /** A connection that holds no statement of an older generation. */
  async function currentConnection({ pool, settings }: OpenPool): Promise<LeasedConnection> {
    for (;;) {
      const client = handedOver.pop() ?? (await connectedClient(pool));
      const connection = connections.get(client) ?? createLeasedConnection(client, settings, statements.generation());
      connections.set(client, connection);
      if (connection.generation === statements.generation()) return connection;
      client.release(true);
    }
  }

  async function connectedClient(pool: Pool): Promise<PoolClient> {
    const startedAt = performance.now();
    try {
      return await pool.connect();
    } catch (error) {
      throw failureOf(error, parameters, performance.now() - startedAt >= connectTimeoutMs);
    }
  }

  return {
    lease,
    statementTimeoutMs,
    areTaken: slots.areTaken,
    isWaitedFor: slots.isWaitedFor,
    isOpen: () => closing === undefined,
    openConnections: () => opened?.pool.totalCount ?? 0,
    close() {
      // Who still waits for the server to answer is told by the same failure.
      closing ??= opening
        ? opening.then(
            ({ pool }) => pool.end(),
            () => undefined,
          )
        : Promise.resolve();
      return closing;
    },
  };
}

/** Whether the server encrypts is found out once, by the first connection that succeeds. */
async function openPool(
  parameters: PostgresParameters,
  size: number,
  limits: Omit<LeaseSettings, 'address' | 'tls'>,
): Promise<OpenPool> {
  const tls = await negotiateTls(parameters, limits.connectTimeoutMs);
  const pool = await createPostgresPool(parameters, tls, size, limits.connectTimeoutMs);
  return { pool, settings: { ...limits, address: { host: parameters.host, port: parameters.port ?? 5432 }, tls } };
}

function failureOf(error: unknown, parameters: PostgresParameters, isTimeout: boolean): unknown {
  const hasCode = error instanceof Error && 'code' in error;
  // Asked for a password it does not have, the driver fails by itself, without a code.
  if (!isTimeout && !hasCode && !parameters.password) return passwordMissing(error);
  return connectError(error, parameters);
}
