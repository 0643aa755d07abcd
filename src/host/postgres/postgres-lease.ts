import type { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { PoolClient, QueryResult } from 'pg';
import { isCloudError } from '#kernel/errors/cloud-error';
import type { SqlParameter, SqlRow } from '#kernel/ports/sql-row';
import { interrupted, timedOut } from '../database/database-errors.ts';
import { queryError } from './postgres-errors.ts';
import type { KnownStatement, PostgresStatements } from './postgres-statements.ts';
import { cancelQuery, type PostgresAddress } from './postgres-wire.ts';

/** What all connections of a pool have in common. */
export interface LeaseSettings {
  readonly address: PostgresAddress;
  readonly tls: ConnectionOptions | undefined;
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
  readonly statements: PostgresStatements;
}

export interface ExecuteOptions {
  readonly signal?: AbortSignal | undefined;
  /** The text is hardly ever used again: under a name it would take the place of one that is. */
  readonly isOneOff?: boolean;
}

/** A connection taken out of the pool. */
export interface Lease {
  /** Carry out one statement. An abort, and the statement timeout, cancel it in the database. */
  execute(sql: string, parameters: readonly SqlParameter[], options?: ExecuteOptions): Promise<QueryResult<SqlRow>>;
  /** Carry out a statement that ends or begins a transaction, or asks about the connection: never under a name. */
  control(sql: string): Promise<QueryResult<SqlRow>>;
  /**
   * Send a statement at once, behind those that are under way; it is carried out when they are done. Nothing stops it but
   * `cancel`. `onAnswer` is told what failed, or the rows.
   */
  send(
    statement: KnownStatement,
    sql: string,
    parameters: readonly SqlParameter[],
    onAnswer: (error: unknown, rows: readonly SqlRow[] | undefined) => void,
  ): void;
  /** Stop in the database what the connection is carrying out. */
  cancel(): Promise<void>;
  /** Whether a pooler is in between: whoever greeted the connection is not who carries out its statements. */
  isPooled(): Promise<boolean>;
  isLost(): boolean;
  /** Whether it can be used for further statements: neither lost nor given up, nor holding statements that no longer serve. */
  isUsable(): boolean;
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
  /** Of the statements that it holds prepared. */
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

  async function carryOut(
    sql: string,
    parameters: readonly SqlParameter[],
    statement: KnownStatement | undefined,
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
    const startedAt = performance.now();
    try {
      const result = await client.query<SqlRow>(queryOf(sql, parameters, statement));
      statement?.took(performance.now() - startedAt);
      return result;
    } catch (error) {
      if (stopped) statement?.took(performance.now() - startedAt);
      if (stopped === 'aborted') throw interrupted(error);
      if (stopped === 'timed out') throw timedOut(statementTimeoutMs, error);
      throw failureOf(error);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      // A cancellation still under way would hit the next statement.
      await cancelling;
    }
  }

  function failureOf(error: unknown): unknown {
    const translated = queryError(error, isLost);
    // A server that shuts down says so first and hangs up a moment later.
    if (isCloudError(translated) && translated.code === 'DATABASE_UNREACHABLE') isGivenUp = true;
    return translated;
  }

  const control = (sql: string) => carryOut(sql, [], undefined, undefined);

  const lease: Lease = {
    execute: (sql, parameters, { signal, isOneOff = false } = {}) =>
      carryOut(sql, parameters, isOneOff ? undefined : settings.statements.find(sql), signal),
    control,
    send(statement, sql, parameters, onAnswer) {
      client.query<SqlRow>(queryOf(sql, parameters, statement), (error: unknown, result) => {
        if (error) onAnswer(failureOf(error), undefined);
        else onAnswer(undefined, result.rows);
      });
    },
    cancel: () => cancelOrDisconnect(client, settings),
    isPooled: async () => !isBackendOf(client, await control('select pg_catalog.pg_backend_pid() as id')),
    isLost: () => isLost,
    isUsable: () => !isLost && !isGivenUp && generation === settings.statements.generation(),
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

function queryOf(sql: string, parameters: readonly SqlParameter[], statement: KnownStatement | undefined) {
  const query = { ...oneStatement, text: sql, values: parameters as SqlParameter[] };
  return statement ? { ...query, name: statement.name } : query;
}

/** When the cancellation cannot be delivered the connection is given up, so that nobody waits for the answer. */
async function cancelOrDisconnect(client: PoolClient, settings: LeaseSettings): Promise<void> {
  const { processId, secretKey } = backendOf(client);
  try {
    if (typeof processId !== 'number' || typeof secretKey !== 'number') throw new Error('The connection has no key.');
    await cancelQuery(settings.address, settings.tls, { processId, secretKey }, settings.connectTimeoutMs);
  } catch {
    // Not by its end, which would wait for what it is carrying out.
    socketOf(client).destroy();
  }
}

function isBackendOf(client: PoolClient, { rows }: QueryResult<SqlRow>): boolean {
  return rows[0]?.['id'] === String(backendOf(client).processId);
}

/** What the greeting of the server said. */
function backendOf(client: PoolClient): { readonly processId: unknown; readonly secretKey: unknown } {
  const { processID: processId, secretKey } = client as unknown as Readonly<Record<string, unknown>>;
  return { processId, secretKey };
}

function socketOf(client: PoolClient): Socket {
  return (client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream;
}
