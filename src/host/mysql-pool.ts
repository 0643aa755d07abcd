import type { Pool, PoolConnection } from 'mysql2';
import { CloudError } from '#kernel/errors/cloud-error';
import { interrupted, isUsableAfter, lacksTls, mysqlError, poolExhausted } from './mysql-errors.ts';
import {
  defaultAcquireTimeoutMs,
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
  let sslMode = sslModeOf(parameters);
  const connections = new Set<PoolConnection>();
  let pool = createPool();
  let closing: Promise<void> | undefined;

  function createPool(): Pool {
    const size = parameters.poolSize ?? defaultPoolSize;
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

  async function connect(signal: AbortSignal | undefined): Promise<PoolConnection> {
    const asked = pool;
    try {
      return await acquire(asked, parameters, signal);
    } catch (error) {
      // Queries that began together all meet a server without TLS; the first one changes the pool for the others.
      if (asked === pool) {
        if (sslMode !== 'preferred' || !lacksTls(error)) throw error;
        sslMode = 'disabled';
        pool = createPool();
        asked.end();
      }
      return acquire(pool, parameters, signal);
    }
  }

  return {
    async use(work, signal) {
      if (closing) throw isClosed();
      const connection = await connect(signal);
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
    },
    async cancel(connection) {
      const canceller = driver.createConnection(driverOptions(parameters, sslMode));
      try {
        await new Promise<void>((resolve, reject) => {
          canceller.on('error', reject);
          canceller.query(`kill query ${Number(connection.threadId)}`, (error) => (error ? reject(error) : resolve()));
        });
      } finally {
        canceller.destroy();
      }
    },
    openConnections: () => connections.size,
    close() {
      closing ??= new Promise((resolve, reject) => {
        pool.end((error) => {
          connections.clear();
          if (error) reject(mysqlError(error));
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

/** Wait for a connection, but neither forever nor for a client that has gone: one that comes late goes back. */
function acquire(pool: Pool, parameters: MysqlParameters, signal: AbortSignal | undefined): Promise<PoolConnection> {
  const timeoutMs = parameters.acquireTimeoutMs ?? defaultAcquireTimeoutMs;
  return new Promise((resolve, reject) => {
    let isSettled = false;
    const settle = (finish: () => void) => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      finish();
    };
    const onAbort = () => settle(() => reject(interrupted()));
    const timer = setTimeout(() => {
      settle(() => reject(poolExhausted(parameters.poolSize ?? defaultPoolSize, timeoutMs)));
    }, timeoutMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
    pool.getConnection((error, connection) => {
      if (isSettled) connection?.release();
      else settle(() => (error ? reject(error) : resolve(connection)));
    });
  });
}

function isClosed(): CloudError {
  return new CloudError({
    code: 'DATABASE_UNREACHABLE',
    message: 'The data source has been closed.',
    nextSteps: ['Start the agent again.'],
  });
}
