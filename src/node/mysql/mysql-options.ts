import { connect, isIP, type Socket } from 'node:net';
import type { ConnectionOptions, SslOptions } from 'mysql2';
import type { SqlRow } from '#kernel/ports/sql-row';

/**
 * `preferred` encrypts when the server can, `required` always; both accept any certificate. `verify-ca` also checks that an
 * authority of `sslAuthorities` has signed the certificate, and `verify` that it names the host. Without authorities of its own,
 * `verify-ca` checks the name too.
 */
export type MysqlSslMode = 'disabled' | 'preferred' | 'required' | 'verify-ca' | 'verify';

/** Where a MariaDB or MySQL server is, and how to talk to it. */
export interface MysqlParameters {
  /** Default `127.0.0.1`. */
  readonly host?: string | undefined;
  /** Default 3306. */
  readonly port?: number | undefined;
  /** Path of a Unix socket, in place of host and port. */
  readonly socketPath?: string | undefined;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly database: string;
  /** Default `preferred`; on a Unix socket `disabled`. */
  readonly sslMode?: MysqlSslMode | undefined;
  /** PEM of the authorities that `verify` and `verify-ca` trust instead of the system's. */
  readonly sslAuthorities?: string | undefined;
  /** How many connections may be open at once. Default 5. */
  readonly poolSize?: number | undefined;
  /** How long to wait for the server, and for a free connection, in milliseconds. Default 5000. */
  readonly connectTimeoutMs?: number | undefined;
  /** How long a statement may run before the server cancels it, in milliseconds. Default 30 000; `0` means no limit. */
  readonly statementTimeoutMs?: number | undefined;
  /**
   * `false` sends statements as text with escaped values, for proxies that cannot prepare statements. Default `true`.
   */
  readonly preparedStatements?: boolean | undefined;
  /** What each new connection asks the server before anybody uses it. Default: nothing. */
  readonly greeting?: { readonly sql: string; onAnswer(row: SqlRow): void } | undefined;
}

export const defaultPoolSize = 5;
export const defaultConnectTimeoutMs = 5000;
const defaultStatementTimeoutMs = 30_000;
/**
 * The server should cancel a statement first. The client waits this much longer before it gives up on a silent server.
 */
const silenceGraceMs = 5000;

/** How much longer a statement may run before the client kills it: MySQL ends no write by itself. */
const killGraceMs = 500;

const maxLockWaitSeconds = 10;
const maxPreparedStatements = 500;

export function sslModeOf(parameters: MysqlParameters): MysqlSslMode {
  return parameters.sslMode ?? (parameters.socketPath === undefined ? 'preferred' : 'disabled');
}

/** The options of the driver: no value that it reads may lose a digit or become a `Date`. */
export function driverOptions(parameters: MysqlParameters, sslMode: MysqlSslMode, socket: Socket): ConnectionOptions {
  const ssl = sslOptions(parameters, sslMode);
  return {
    ...hostOption(parameters, sslMode),
    stream: () => socket,
    ...(parameters.user === undefined ? {} : { user: parameters.user }),
    ...(parameters.password === undefined ? {} : { password: parameters.password }),
    ...(ssl ? { ssl } : {}),
    database: parameters.database,
    connectTimeout: parameters.connectTimeoutMs ?? defaultConnectTimeoutMs,
    charset: 'UTF8MB4_UNICODE_CI',
    supportBigNumbers: true,
    bigNumberStrings: true,
    decimalNumbers: false,
    dateStrings: true,
    jsonStrings: true,
    multipleStatements: false,
    flags: ['-LOCAL_FILES'],
    maxPreparedStatements,
  };
}

/** The socket of a connection. It is ours, because under TLS the driver does not tell when the server has closed it. */
export function connectSocket({ host = '127.0.0.1', port = 3306, socketPath }: MysqlParameters): Socket {
  return socketPath === undefined ? connect({ host, port, keepAlive: true, noDelay: true }) : connect(socketPath);
}

/**
 * What the driver checks the certificate for. For a host that is an IP address it expects one for `localhost`. With a dot at
 * its end, the driver takes the address for a name, and the check of the certificate drops the dot again.
 */
function hostOption({ host = '127.0.0.1' }: MysqlParameters, mode: MysqlSslMode): ConnectionOptions {
  return { host: mode.startsWith('verify') && isIP(host) !== 0 ? `${host}.` : host };
}

function sslOptions(parameters: MysqlParameters, mode: MysqlSslMode): SslOptions | undefined {
  if (mode === 'disabled') return undefined;
  if (mode !== 'verify' && mode !== 'verify-ca') return { rejectUnauthorized: false };
  const { sslAuthorities } = parameters;
  return {
    rejectUnauthorized: true,
    verifyIdentity: mode === 'verify' || sslAuthorities === undefined,
    ...(sslAuthorities === undefined ? {} : { ca: sslAuthorities }),
  };
}

/** In whole milliseconds; `0` means no limit, for the server too. */
function statementTimeoutOf({ statementTimeoutMs = defaultStatementTimeoutMs }: MysqlParameters): number {
  return statementTimeoutMs > 0 ? Math.max(1, Math.trunc(statementTimeoutMs)) : 0;
}

/**
 * How long a statement waits for a lock, in whole seconds, because the servers take no part of one. No other setting of the
 * servers ends a wait for the lock of a table while a statement is prepared. By default this one is a day (MariaDB) or a year
 * (MySQL).
 */
function lockWaitSecondsOf(parameters: MysqlParameters): number {
  const timeoutMs = statementTimeoutOf(parameters);
  return timeoutMs > 0 ? Math.min(maxLockWaitSeconds, Math.ceil(timeoutMs / 1000)) : maxLockWaitSeconds;
}

/** After how many milliseconds the client kills a statement that the server has not ended itself; `0` is never. */
export function killLimitOf(parameters: MysqlParameters): number {
  const timeoutMs = statementTimeoutOf(parameters);
  return timeoutMs > 0 ? timeoutMs + killGraceMs : 0;
}

/** How long the server may stay silent, in milliseconds; `0` means no limit. */
export function silenceLimitOf(parameters: MysqlParameters): number {
  const timeoutMs = statementTimeoutOf(parameters);
  return timeoutMs > 0 ? timeoutMs + silenceGraceMs : 0;
}

/**
 * The statement that sets up a connection, the same for both servers. Only MariaDB carries out a comment that begins
 * with `M!`, and only MySQL one for the versions 5.7.8 to 9.99.99.
 */
export function sessionSettings(parameters: MysqlParameters): string {
  const timeoutMs = statementTimeoutOf(parameters);
  const lockWaitSeconds = lockWaitSecondsOf(parameters);
  const modes = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_VALUE_ON_ZERO';
  return [
    `set time_zone = '+00:00', sql_mode = '${modes}', sql_safe_updates = 0`,
    `, innodb_lock_wait_timeout = ${lockWaitSeconds}, lock_wait_timeout = ${lockWaitSeconds}`,
    // The server sorts texts by this many of their first bytes. The default is 1 kB.
    ', max_sort_length = 8192',
    ` /*M! , max_statement_time = ${timeoutMs / 1000} */`,
    ` /*!50708 , max_execution_time = ${timeoutMs} */`,
  ].join('');
}
