import type { Socket } from 'node:net';
import type { Connection } from 'mysql2';
import type { SqlRow } from '#kernel/ports/sql-row';
import { ConnectionPool } from '../database/connection-pool.ts';
import { isUsableAfter, lacksTls, mysqlConnectError } from './mysql-errors.ts';
import {
  connectSocket,
  defaultConnectTimeoutMs,
  defaultPoolSize,
  driverOptions,
  type MysqlParameters,
  sessionSettings,
  sslModeOf,
} from './mysql-options.ts';

type Driver = typeof import('mysql2');

export interface MysqlConnectionPool {
  /**
   * Run `work` on a connection that nobody else uses meanwhile. Closes the connection when it broke or a statement was
   * aborted.
   */
  use<Result>(work: (connection: Connection) => Promise<Result>, signal?: AbortSignal): Promise<Result>;
  /**
   * Cancel what a connection is doing, over a connection outside of the pool: all connections of the pool may be in
   * use.
   */
  cancel(connection: Connection): Promise<void>;
  /** Close each connection that is open now as soon as it is not in use. */
  replaceConnections(): void;
  openConnections(): number;
  close(): Promise<void>;
}

const keptIdleMs = 60_000;

export function createMysqlConnectionPool(driver: Driver, parameters: MysqlParameters): MysqlConnectionPool {
  const { poolSize = defaultPoolSize, connectTimeoutMs = defaultConnectTimeoutMs } = parameters;
  let sslMode = sslModeOf(parameters);
  const sockets = new WeakMap<Connection, Socket>();
  let current = new WeakSet<Connection>();

  function begin(): Connection {
    const socket = connectSocket(parameters);
    const connection = driver.createConnection(driverOptions(parameters, sslMode, socket));
    sockets.set(connection, socket);
    return connection;
  }

  function connect(onLost: (connection: Connection) => void): Promise<Connection> {
    const connection = begin();
    // Without a listener, a connection that breaks while it is idle would end the process.
    connection.on('error', () => onLost(connection));
    return connected(connection, connectTimeoutMs);
  }

  /** Asks the server to encrypt until it turns out that it cannot. */
  async function connectAsPreferred(onLost: (connection: Connection) => void): Promise<Connection> {
    try {
      return await connect(onLost);
    } catch (error) {
      if (sslModeOf(parameters) !== 'preferred' || !lacksTls(error)) throw error;
      sslMode = 'disabled';
      return connect(onLost);
    }
  }

  async function open(onLost: (connection: Connection) => void): Promise<Connection> {
    const connection = await connectAsPreferred(onLost).catch((error: unknown) => {
      throw mysqlConnectError(error, { ...parameters, sslMode });
    });
    await ask(connection, sessionSettings(parameters));
    if (parameters.greeting) {
      const { sql, onAnswer } = parameters.greeting;
      onAnswer((await ask(connection, sql))[0] ?? {});
    }
    current.add(connection);
    return connection;
  }

  const isUsable = (connection: Connection) => isConnected(connection) && current.has(connection);
  const pool = new ConnectionPool<Connection>(
    { open, isUsable, close: (connection) => closeInTime(connection, sockets.get(connection), connectTimeoutMs) },
    { size: poolSize, waitMs: connectTimeoutMs, keptIdleMs },
  );

  return {
    async use(work, signal) {
      const connection = await pool.acquire(signal);
      try {
        return await work(connection);
      } catch (error) {
        if (!isUsableAfter(error)) connection.destroy();
        throw error;
      } finally {
        // The cancellation may reach the server late, and would hit the next statement.
        if (signal?.aborted) connection.destroy();
        pool.release(connection);
      }
    },
    cancel: (connection) => killQuery(begin(), connection),
    replaceConnections() {
      current = new WeakSet();
    },
    openConnections: () => pool.openConnections(),
    close: () => pool.close(),
  };
}

function isConnected({ state }: Connection): boolean {
  return state === 'authenticated';
}

/** Wait until the connection can be used. The driver itself limits only the wait for the first bytes of the server. */
function connected(connection: Connection, timeoutMs: number): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      connection.destroy();
      reject(Object.assign(new Error('The server does not answer.'), { code: 'ETIMEDOUT' }));
    }, timeoutMs);
    connection.connect((error) => {
      clearTimeout(timer);
      if (error) reject(error);
      else resolve(connection);
    });
  });
}

/** The rows of what a new connection asks. One that gets no answer is of no use. */
function ask(connection: Connection, sql: string): Promise<readonly SqlRow[]> {
  return new Promise((resolve, reject) => {
    connection.query(sql, (error, rows) => {
      if (!error) return resolve(rows as readonly SqlRow[]);
      connection.destroy();
      reject(error);
    });
  });
}

/** Close a connection, and cut it when the server does not end it in time. */
async function closeInTime(connection: Connection, socket: Socket | undefined, timeoutMs: number): Promise<void> {
  if (!isConnected(connection) || !socket) {
    connection.destroy();
    return;
  }
  await new Promise<void>((resolve) => {
    const timer = setTimeout(hangUp, timeoutMs);
    function hangUp() {
      clearTimeout(timer);
      connection.destroy();
      resolve();
    }
    socket.once('close', hangUp);
    // Its callback would come before the driver has said goodbye.
    connection.end();
  });
}

async function killQuery(canceller: Connection, connection: Connection): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      canceller.on('error', reject);
      canceller.query(`kill query ${Number(connection.threadId)}`, (error) => (error ? reject(error) : resolve()));
    });
  } finally {
    canceller.destroy();
  }
}
