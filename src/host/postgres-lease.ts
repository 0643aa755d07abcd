import type { ConnectionOptions } from 'node:tls';
import type { PoolClient, QueryResult } from 'pg';
import { isCloudError } from '#kernel/errors/cloud-error';
import type { PostgresValue } from '#kernel/ports/postgres-pool';
import type { SqlRow } from '#kernel/ports/sqlite-connection';
import { interrupted, timedOut } from './database-errors.ts';
import { queryError } from './postgres-errors.ts';
import type { StatementNames } from './postgres-statement-names.ts';
import { cancelQuery, type PostgresAddress } from './postgres-wire.ts';

/** What all connections of a pool have in common. */
export interface LeaseSettings {
  readonly address: PostgresAddress;
  readonly tls: ConnectionOptions | undefined;
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
  readonly names: StatementNames;
}

export interface ExecuteOptions {
  readonly signal?: AbortSignal | undefined;
  /** The text is hardly ever used again: under a name it would take the place of one that is. */
  readonly isOneOff?: boolean;
}

/** A connection taken out of the pool. */
export interface Lease {
  /** Carry out one statement. An abort, and the statement timeout, cancel it in the database. */
  execute(sql: string, parameters: readonly PostgresValue[], options?: ExecuteOptions): Promise<QueryResult<SqlRow>>;
  /** Carry out a statement that ends or begins a transaction, or asks about the connection: never under a name. */
  control(sql: string): Promise<QueryResult<SqlRow>>;
  /** Whether a pooler is in between: whoever greeted the connection is not who carries out its statements. */
  isPooled(): Promise<boolean>;
  isLost(): boolean;
  /** Let nobody use the connection again: `release` will close it. */
  giveUp(): void;
  /** To whoever waits for one or back to the pool, or closed when it is of no more use. */
  release(): void;
}

/** The simple protocol, which the driver takes for statements without values, would carry out several at once. */
const oneStatement = { queryMode: 'extended' };

type Stop = 'aborted' | 'timed out';

/** A connection of a pool, which is leased again and again. */
export interface LeasedConnection {
  readonly client: PoolClient;
  /** Of the statement names that it may hold. */
  readonly generation: number;
  /** @param onReleased told whether it can be used again. */
  lease(onReleased: (isUsable: boolean) => void): Lease;
}

export function createLeasedConnection(
  client: PoolClient,
  settings: LeaseSettings,
  generation: number,
): LeasedConnection {
  let isLost = false;
  let isGivenUp = false;
  let onRelease: (isUsable: boolean) => void = () => undefined;
  client.on('error', () => {
    isLost = true;
  });

  async function send(
    sql: string,
    parameters: readonly PostgresValue[],
    name: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<QueryResult<SqlRow>> {
    if (signal?.aborted) throw interrupted();
    let stopped: Stop | undefined;
    let cancelling: Promise<void> | undefined;
    const stop = (why: Stop) => {
      stopped ??= why;
      cancelling ??= cancelOrDisconnect(client, settings);
    };
    const onAbort = () => stop('aborted');
    const { statementTimeoutMs } = settings;
    const timer = statementTimeoutMs > 0 ? setTimeout(() => stop('timed out'), statementTimeoutMs) : undefined;
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      const values = parameters as PostgresValue[];
      return await client.query<SqlRow>({
        ...oneStatement,
        text: sql,
        values,
        ...(name === undefined ? {} : { name }),
      });
    } catch (error) {
      if (stopped === 'aborted') throw interrupted(error);
      if (stopped === 'timed out') throw timedOut(statementTimeoutMs, error);
      const translated = queryError(error, isLost);
      // A server that shuts down says so first and hangs up a moment later.
      if (isCloudError(translated) && translated.code === 'DATABASE_UNREACHABLE') isGivenUp = true;
      throw translated;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      // A cancellation still under way would hit the next statement.
      await cancelling;
    }
  }

  const control = (sql: string) => send(sql, [], undefined, undefined);

  const lease: Lease = {
    execute: (sql, parameters, { signal, isOneOff = false } = {}) =>
      send(sql, parameters, isOneOff ? undefined : settings.names.nameOf(sql), signal),
    control,
    async isPooled() {
      const { rows } = await control('select pg_catalog.pg_backend_pid() as id');
      return rows[0]?.['id'] !== String(backendOf(client).processId);
    },
    isLost: () => isLost,
    giveUp() {
      isGivenUp = true;
    },
    release() {
      onRelease(!isGivenUp && !isLost);
    },
  };

  return {
    client,
    generation,
    lease(onReleased) {
      onRelease = onReleased;
      return lease;
    },
  };
}

/** When the cancellation cannot be delivered the connection is given up, so that nobody waits for the answer. */
async function cancelOrDisconnect(client: PoolClient, settings: LeaseSettings): Promise<void> {
  const { processId, secretKey } = backendOf(client);
  try {
    if (typeof processId !== 'number' || typeof secretKey !== 'number') throw new Error('The connection has no key.');
    await cancelQuery(settings.address, settings.tls, { processId, secretKey }, settings.connectTimeoutMs);
  } catch {
    await client.end();
  }
}

/** What the greeting of the server said. */
function backendOf(client: PoolClient): { readonly processId: unknown; readonly secretKey: unknown } {
  const { processID: processId, secretKey } = client as unknown as Readonly<Record<string, unknown>>;
  return { processId, secretKey };
}
