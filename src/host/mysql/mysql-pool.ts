import type { Connection, Pool, PoolConnection } from 'mysql2';
import { createConnectionSlots } from '../database/connection-slots.ts';
import { closed } from '../database/database-errors.ts';
import { isUsableAfter, lacksTls, mysqlError } from './mysql-errors.ts';
import {
  defaultConnectTimeoutMs,
  defaultPoolSize,
  driverOptions,
  type MysqlParameters,
  sessionSettings,
  sslModeOf,
} from './mysql-options.ts';

type Driver = typeof import('mysql2');

export interface MysqlPool {
  /** Lend a connection to `work`. One that breaks, or whose statement was aborted, is thrown away afterwards. */
  use<Result>(work: (connection: PoolConnection) => Promise<Result>, signal?: AbortSignal): Promise<Result>;
  /** Cancel what a connection is doing, by way of a connection beside the pool: the pool may be exhausted. */
  cancel(connection: PoolConnection): Promise<void>;
  openConnections(): number;
  close(): Promise<void>;
}

const keptIdleMs = 60_000;

export function createMysqlPool(driver: Driver, parameters: MysqlParameters): MysqlPool {
  const size = parameters.poolSize ?? defaultPoolSize;
  const connectTimeoutMs = parameters.connectTimeoutMs ?? defaultConnectTimeoutMs;
  const slots = createConnectionSlots(size, connectTimeoutMs);
  let sslMode = sslModeOf(parameters);
  const connections = new Set<PoolConnection>();
  let pool = createPool();
  let closing: Promise<void> | undefined;

  function createPool(): Pool {
    const created = driver.createPool({
      ...driverOptions(parameters, sslMode),
      connectionLimit: size,
      maxIdle: size,
      idleTimeout: keptIdleMs,
      waitForConnections: true,
    });
    created.on('connection', (connection: PoolConnection) => {
      connections.add(connection);
      connection.on('end', () => connections.delete(connection));
      // A connection that dies while idle leaves the pool by itself; without a listener it would end the process.
      connection.on('error', () => connections.delete(connection));
      // Statements of a connection run in the order they are sent, so this one comes first.
      connection.query(sessionSettings(parameters), (error) => {
        if (error) connection.destroy();
      });
    });
    return created;
  }

  async function connect(): Promise<PoolConnection> {
    const asked = pool;
    try {
      return await connectionOf(asked, connectTimeoutMs);
    } catch (error) {
      // Queries that began together all meet a server without TLS; the first one changes the pool for the others.
      if (asked === pool) {
        if (sslMode !== 'preferred' || !lacksTls(error)) throw error;
        sslMode = 'disabled';
        pool = createPool();
        asked.end();
      }
      return connectionOf(pool, connectTimeoutMs);
    }
  }

  return {
    async use(work, signal) {
      const giveBack = await slots.take(signal);
      try {
        if (closing) throw closed();
        return await lend(await connect(), work, signal, discard);
      } finally {
        giveBack();
      }
    },
    cancel: (connection) => killQuery(driver.createConnection(driverOptions(parameters, sslMode)), connection),
    openConnections: () => connections.size,
    close() {
      closing ??= new Promise((resolve, reject) => {
        pool.end((error) => {
          connections.clear();
          // One that breaks meanwhile is closed, too.
          if (error && isUsableAfter(error)) reject(mysqlError(error));
          else resolve();
        });
      });
      return closing;
    },
  };

  function discard(connection: PoolConnection): void {
    connections.delete(connection);
    connection.destroy();
  }
}

async function lend<Result>(
  connection: PoolConnection,
  work: (connection: PoolConnection) => Promise<Result>,
  signal: AbortSignal | undefined,
  discard: (connection: PoolConnection) => void,
): Promise<Result> {
  let isUsable = false;
  try {
    const result = await work(connection);
    isUsable = true;
    return result;
  } catch (error) {
    isUsable = isUsableAfter(error);
    throw error;
  } finally {
    if (isUsable && signal?.aborted !== true) connection.release();
    else discard(connection);
  }
}

async function killQuery(canceller: Connection, connection: PoolConnection): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      canceller.on('error', reject);
      canceller.query(`kill query ${Number(connection.threadId)}`, (error) => (error ? reject(error) : resolve()));
    });
  } finally {
    canceller.destroy();
  }
}

/** The driver waits in bounds for the first word of a server only. A connection that comes late goes back. */
function connectionOf(pool: Pool, timeoutMs: number): Promise<PoolConnection> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      reject(Object.assign(new Error('The server does not answer.'), { code: 'ETIMEDOUT' }));
    }, timeoutMs);
    pool.getConnection((error, connection) => {
      clearTimeout(timer);
      if (isLate) connection?.release();
      else if (error) reject(error);
      else resolve(connection);
    });
  });
}
