import { connect, isIP } from 'node:net';
import type { ConnectionOptions, SslOptions } from 'mysql2';

/**
 * `preferred` encrypts where the server can, `required` always; both accept any certificate. `verify` also holds the
 * certificate and its host name to the trusted authorities.
 */
export type MysqlSslMode = 'disabled' | 'preferred' | 'required' | 'verify';

/** Where a MariaDB or MySQL server is, and how it is talked to. */
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
  /** PEM of the authorities that `verify` trusts instead of the system's. */
  readonly sslAuthorities?: string | undefined;
  /** Connections at most. Default 5. */
  readonly poolSize?: number | undefined;
  /** How long to wait for the server, and for a free connection, in milliseconds. Default 5000. */
  readonly connectTimeoutMs?: number | undefined;
  /** After what time the server cancels a statement, in milliseconds. Default 30 000; `0` is no limit. */
  readonly statementTimeoutMs?: number | undefined;
  /** `false` sends statements as text, their values escaped: for proxies that cannot prepare. Default `true`. */
  readonly preparedStatements?: boolean | undefined;
}

export const defaultPoolSize = 5;
export const defaultConnectTimeoutMs = 5000;
const defaultStatementTimeoutMs = 30_000;
/** How much longer than the server the client waits before it gives up on a server that has gone silent. */
const silenceGraceMs = 5000;

const lockWaitSeconds = 10;
const maxPreparedStatements = 500;

export function sslModeOf(parameters: MysqlParameters): MysqlSslMode {
  return parameters.sslMode ?? (parameters.socketPath === undefined ? 'preferred' : 'disabled');
}

/** Nothing that a driver reads may lose a digit or become a `Date`. */
export function driverOptions(parameters: MysqlParameters, sslMode: MysqlSslMode): ConnectionOptions {
  const ssl = sslOptions(parameters, sslMode);
  return {
    ...placeOptions(parameters, sslMode),
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
    enableKeepAlive: true,
  };
}

/**
 * The driver holds the certificate of a server given by its address to the name `localhost`. With the dot that ends a
 * full name it takes the address for a name, and what checks the certificate drops the dot and sees the address.
 */
function placeOptions(parameters: MysqlParameters, mode: MysqlSslMode): ConnectionOptions {
  const { host = '127.0.0.1', port = 3306, socketPath } = parameters;
  if (socketPath !== undefined) return { socketPath };
  if (mode !== 'verify' || isIP(host) === 0) return { host, port };
  return { host: `${host}.`, port, stream: () => connect({ host, port, keepAlive: true, noDelay: true }) };
}

function sslOptions(parameters: MysqlParameters, mode: MysqlSslMode): SslOptions | undefined {
  if (mode === 'disabled') return undefined;
  if (mode !== 'verify') return { rejectUnauthorized: false };
  const { sslAuthorities } = parameters;
  return {
    rejectUnauthorized: true,
    verifyIdentity: true,
    ...(sslAuthorities === undefined ? {} : { ca: sslAuthorities }),
  };
}

/** In whole milliseconds; `0` is no limit, for the server too. */
function statementTimeoutOf({ statementTimeoutMs = defaultStatementTimeoutMs }: MysqlParameters): number {
  return statementTimeoutMs > 0 ? Math.max(1, Math.trunc(statementTimeoutMs)) : 0;
}

/** How long the server may stay silent, in milliseconds; `0` is no limit. */
export function silenceLimitOf(parameters: MysqlParameters): number {
  const timeoutMs = statementTimeoutOf(parameters);
  return timeoutMs > 0 ? timeoutMs + silenceGraceMs : 0;
}

/**
 * What every connection is set to. One statement for both servers: MariaDB alone reads a comment that begins with
 * `M!`, and skips one that is meant for versions 5.7.8 to 9.99.99.
 */
export function sessionSettings(parameters: MysqlParameters): string {
  const timeoutMs = statementTimeoutOf(parameters);
  const modes = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_VALUE_ON_ZERO';
  return [
    `set time_zone = '+00:00', sql_mode = '${modes}', sql_safe_updates = 0`,
    `, innodb_lock_wait_timeout = ${lockWaitSeconds}`,
    // Texts are sorted by their first bytes only; the default is 1 kB.
    ', max_sort_length = 8192',
    ` /*M! , max_statement_time = ${timeoutMs / 1000} */`,
    ` /*!50708 , max_execution_time = ${timeoutMs} */`,
  ].join('');
}
