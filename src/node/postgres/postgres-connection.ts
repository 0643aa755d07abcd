import type { Writable } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import { isCloudError } from '#kernel/errors/cloud-error';
import type { SqlParameter, SqlRow } from '#kernel/ports/sql-row';
import { interrupted, timedOut } from '../database/database-errors.ts';
import type { PostgresClient, PostgresResult } from './postgres-client.ts';
import { queryError } from './postgres-errors.ts';
import type { KnownStatement, PostgresStatements } from './postgres-statements.ts';
import { cancelQuery, type PostgresAddress } from './postgres-wire.ts';

/** What all connections to one database have in common. */
export interface PostgresConnectionSettings {
  readonly address: PostgresAddress;
  readonly tls: ConnectionOptions | undefined;
  readonly connectTimeoutMs: number;
  /** How long one statement may run; `0` means no limit. */
  readonly statementTimeoutMs: number;
  readonly statements: PostgresStatements;
}

interface ExecuteOptions {
  readonly signal?: AbortSignal | undefined;
  /** The statement will hardly come again: it gets no name, and takes no place among those that do. */
  readonly isOneOff?: boolean;
}

/** One connection to PostgreSQL. Its methods reject with the errors that `openPostgres` lists. */
export interface PostgresConnection {
  /** Carry out one statement. An abort, and the statement timeout, cancel it in the database. */
  execute(sql: string, parameters: readonly SqlParameter[], options?: ExecuteOptions): Promise<PostgresResult>;
  /** Carry out a statement that begins or ends a transaction, or asks about the connection. It gets no name. */
  control(sql: string): Promise<PostgresResult>;
  /**
   * Send a statement in this turn of the event loop. The database carries it out after those that were sent before. Only
   * `cancel` stops it. `onAnswer` gets the error or the rows.
   */
  send(
    statement: KnownStatement,
    sql: string,
    parameters: readonly SqlParameter[],
    onAnswer: (error: unknown, rows: readonly SqlRow[] | undefined) => void,
  ): void;
  /** Cancel the statement that the database is carrying out on this connection. */
  cancel(): Promise<void>;
  /**
   * Whether a pooler is in front of the database: another process than the one that greeted carries out the statements.
   */
  isPooled(): Promise<boolean>;
  isLost(): boolean;
  /**
   * Whether it can carry out further statements: it is neither lost nor given up, and its prepared statements still
   * work.
   */
  isUsable(): boolean;
  /** Let nobody use the connection again. */
  giveUp(): void;
  /** Close the connection, and cut it when the server does not end it in time. Never rejects. */
  close(): Promise<void>;
}

type Stop = 'aborted' | 'timed out';

/** The connection of a client that is not connected yet. `onLost` is called when it breaks. */
export function createPostgresConnection(
  client: PostgresClient,
  settings: PostgresConnectionSettings,
  onLost: (connection: PostgresConnection) => void,
): PostgresConnection {
  const { statements, statementTimeoutMs, connectTimeoutMs } = settings;
  const generation = statements.generation();
  let isLost = false;
  let isGivenUp = false;
  client.on('error', () => {
    isLost = true;
    onLost(connection);
  });

  async function carryOut(
    sql: string,
    parameters: readonly SqlParameter[],
    statement: KnownStatement | undefined,
    signal: AbortSignal | undefined,
  ): Promise<PostgresResult> {
    if (signal?.aborted) throw interrupted();
    let stopped: Stop | undefined;
    let cancelling: Promise<void> | undefined;
    const stop = (why: Stop) => {
      stopped ??= why;
      cancelling ??= cancelOrDisconnect(client, settings);
    };
    const onAbort = () => stop('aborted');
    const timer = statementTimeoutMs > 0 ? setTimeout(() => stop('timed out'), statementTimeoutMs) : undefined;
    signal?.addEventListener('abort', onAbort, { once: true });
    const startedAt = performance.now();
    try {
      const result = await answerOf(client, sql, parameters, statement);
      statement?.took(performance.now() - startedAt);
      return result;
    } catch (error) {
      if (stopped) statement?.took(performance.now() - startedAt);
      if (stopped === 'aborted') throw interrupted(error);
      if (stopped === 'timed out') throw timedOut(statementTimeoutMs, error);
      throw failureOf(error, sql);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      // A cancellation still under way would hit the next statement.
      await cancelling;
    }
  }

  function failureOf(error: unknown, sql: string): unknown {
    const translated = queryError(error, isLost, sql);
    // A server that shuts down says so first, and closes the connection a moment later.
    if (isCloudError(translated) && translated.code === 'DATABASE_UNREACHABLE') isGivenUp = true;
    return translated;
  }

  const connection: PostgresConnection = {
    execute: (sql, parameters, { signal, isOneOff = false } = {}) =>
      carryOut(sql, parameters, isOneOff ? undefined : statements.find(sql), signal),
    control: (sql) => carryOut(sql, [], undefined, undefined),
    send(statement, sql, parameters, onAnswer) {
      writeAtEndOfTurn(client.connection.stream);
      client.ask(sql, parameters, statement.name, (error, result) => {
        if (error) onAnswer(failureOf(error, sql), undefined);
        else onAnswer(undefined, result.rows);
      });
    },
    cancel: () => cancelOrDisconnect(client, settings),
    async isPooled() {
      const { rows } = await connection.control('select pg_catalog.pg_backend_pid() as id');
      return String(rows[0]?.['id']) !== String(client.processID);
    },
    isLost: () => isLost,
    isUsable: () => !isLost && !isGivenUp && generation === statements.generation(),
    giveUp() {
      isGivenUp = true;
    },
    async close() {
      const hangUp = setTimeout(() => client.connection.stream.destroy(), connectTimeoutMs);
      await client.end();
      clearTimeout(hangUp);
    },
  };
  return connection;
}

function answerOf(
  client: PostgresClient,
  sql: string,
  parameters: readonly SqlParameter[],
  statement: KnownStatement | undefined,
): Promise<PostgresResult> {
  return new Promise((resolve, reject) => {
    client.ask(sql, parameters, statement?.name, (error, result) => (error ? reject(error) : resolve(result)));
  });
}

/**
 * Cancel what the connection is doing. When the server cannot be told, cut the connection, so that nobody waits for it.
 */
async function cancelOrDisconnect(client: PostgresClient, settings: PostgresConnectionSettings): Promise<void> {
  const { processID: processId, secretKey } = client;
  try {
    if (processId === null || secretKey === null) throw new Error('The connection has no key.');
    await cancelQuery(settings.address, settings.tls, { processId, secretKey }, settings.connectTimeoutMs);
  } catch {
    // `client.end()` would wait for the statement.
    client.connection.stream.destroy();
  }
}

/**
 * Hold back what is written to a stream in this turn of the event loop, and write it in one call of the system at the end
 * of the turn. Such a call costs more than anything else that a quick read needs.
 */
function writeAtEndOfTurn(stream: Writable): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}
