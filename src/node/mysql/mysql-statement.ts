import type { Connection, QueryError, QueryOptions, ResultSetHeader, RowDataPacket } from 'mysql2';
import type { SqlParameter, SqlRow } from '#kernel/ports/sql-row';
import { interrupted } from '../database/database-errors.ts';
import { isKilled, isUnpreparable, statementTookTooLong } from './mysql-errors.ts';

export interface MysqlResult {
  readonly rows: readonly SqlRow[];
  /** How many rows a write matched, whether or not it changed a value of them. */
  readonly changes: number;
  /** The number of the inserted row. Unlike `last_insert_id()`, it is never that of an earlier statement. */
  readonly insertId?: number | string;
}

export interface StatementOptions {
  readonly isPrepared: boolean;
  /** How long the server may stay silent; `0` means no limit. */
  readonly timeoutMs: number;
  /** When a statement that still runs is killed; `0` is never. */
  readonly killAfterMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Make the driver bind a whole number without loss. */
  integer(value: number | bigint): unknown;
  /** Cancel what the connection is doing, over another connection. */
  cancel(connection: Connection): Promise<void>;
}

/**
 * Carry out one statement. An abort cancels it in the database; the call rejects with `INTERRUPTED` after that. The
 * caller must close the connection then, because the cancellation may reach the server late. A statement that takes too
 * long is cancelled too; the connection can be used after that.
 */
export async function carryOut(
  connection: Connection,
  sql: string,
  parameters: readonly SqlParameter[],
  options: StatementOptions,
): Promise<MysqlResult> {
  const { signal } = options;
  if (signal?.aborted) throw interrupted();
  let cancelling: Promise<void> | undefined;
  const onAbort = () => {
    cancelling = options.cancel(connection).catch(() => connection.destroy());
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    const result = await sendInTime(connection, sql, parameters, options);
    if (cancelling !== undefined) throw interrupted();
    return result;
  } catch (error) {
    if (cancelling === undefined) throw error;
    await cancelling;
    throw interrupted();
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Kills the statement when its time is up: of MySQL's own limits none holds for writes. */
async function sendInTime(
  connection: Connection,
  sql: string,
  parameters: readonly SqlParameter[],
  options: StatementOptions,
): Promise<MysqlResult> {
  if (options.killAfterMs === 0) return send(connection, sql, parameters, options);
  let killing: Promise<void> | undefined;
  const timer = setTimeout(() => {
    killing = options.cancel(connection).catch(() => connection.destroy());
  }, options.killAfterMs);
  try {
    return await send(connection, sql, parameters, options);
  } catch (error) {
    throw killing && isKilled(error) ? statementTookTooLong(error) : error;
  } finally {
    clearTimeout(timer);
    // A kill that came too late would end the next statement: this one takes it.
    if (killing) await killing.then(() => sendText(connection, 'do 0', [], options)).catch(() => undefined);
  }
}

async function send(
  connection: Connection,
  sql: string,
  parameters: readonly SqlParameter[],
  options: StatementOptions,
): Promise<MysqlResult> {
  if (!options.isPrepared) return sendText(connection, sql, parameters, options);
  try {
    return await settle((done) => {
      const values = parameters.map((value) => boundValue(value, options.integer));
      connection.execute({ sql, timeout: options.timeoutMs, values } satisfies QueryOptions, done);
    });
  } catch (error) {
    if (!isUnpreparable(error)) throw error;
    connection.unprepare(sql);
    return sendText(connection, sql, parameters, options);
  }
}

function sendText(
  connection: Connection,
  sql: string,
  parameters: readonly SqlParameter[],
  { timeoutMs }: StatementOptions,
): Promise<MysqlResult> {
  return settle((done) => {
    const values = parameters.map((value) => boundValue(value, (whole) => whole));
    connection.query({ sql, timeout: timeoutMs, values } satisfies QueryOptions, done);
  });
}

type Done = (error: QueryError | null, result: RowDataPacket[] | ResultSetHeader) => void;

function settle(start: (done: Done) => void): Promise<MysqlResult> {
  return new Promise((resolve, reject) => {
    start((error, result) => {
      if (error) reject(error);
      else if (Array.isArray(result)) resolve({ rows: result as readonly SqlRow[], changes: result.length });
      else resolve({ rows: [], changes: result.affectedRows, insertId: result.insertId });
    });
  });
}

/** The server has no arrays: a list is bound as a JSON text. */
function boundValue(value: SqlParameter, integer: StatementOptions['integer']): unknown {
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return integer(value as number | bigint);
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}
