import { CloudError, cloudError, isCloudError } from '#kernel/errors/cloud-error';
import {
  constraintViolated,
  forbiddenReasons,
  raisedByDatabase,
  tooLongProblem,
  writeForbidden,
  writeRefused,
} from '../database/database-errors.ts';
import { type KnownError, loginErrors, unknownPlugin, unknownPluginCode } from './mysql-login-errors.ts';
import type { MysqlParameters } from './mysql-options.ts';

/** Whether the connection is lost. Another connection may carry out the statement. */
export function isLostConnection(error: unknown): boolean {
  return lostCodes.has(codeOf(error)) || lostNumbers.has(errnoOf(error)) || /closed state/.test(textOf(error));
}

/**
 * Whether the server undid the transaction because of another one: by a deadlock, or because a record changed
 * meanwhile.
 */
export function isUndone(error: unknown): boolean {
  return [1020, 1213].includes(errnoOf(error));
}

function isLockTimeout(error: unknown): boolean {
  return errnoOf(error) === 1205;
}

/**
 * Whether the server undid the transaction of the failed statement, or may have: after a lock timeout its settings
 * decide.
 */
export function endsTransaction(error: unknown): boolean {
  return isUndone(error) || isLockTimeout(error) || errnoOf(error) === lockTableFull || !isUsableAfter(error);
}

const lockTableFull = 1206;

/** Whether the server cannot prepare the statement or has forgotten it. It can still carry it out as text. */
export function isUnpreparable(error: unknown): boolean {
  return [1243, 1295, 1461, 1615].includes(errnoOf(error));
}

/** Whether somebody has ended the statement with KILL QUERY. */
export function isKilled(error: unknown): boolean {
  return errnoOf(error) === 1317;
}

/** The client has killed a statement, because its time was up. */
export function statementTookTooLong(cause: unknown): CloudError {
  return new CloudError({ ...tooLong, safeDetails: { mysqlError: codeOf(cause) }, cause });
}

/** Whether a connection can go on after a failed statement. */
export function isUsableAfter(error: unknown): boolean {
  if (isCloudError(error)) return error.cause === undefined || isUsableAfter(error.cause);
  const isFatal = error instanceof Error && 'fatal' in error && error.fatal === true;
  return !isFatal && !isLostConnection(error) && codeOf(error) !== 'PROTOCOL_SEQUENCE_TIMEOUT';
}

/** Whether the server does not offer TLS. */
export function lacksTls(error: unknown): boolean {
  return codeOf(error) === 'HANDSHAKE_NO_SSL_SUPPORT';
}

/** The error of a connection that could not be opened. Where no server answers, its message names the address. */
export function mysqlConnectError(
  error: unknown,
  { host = '127.0.0.1', port = 3306, socketPath, sslMode }: MysqlParameters,
): unknown {
  const code = codeOf(error);
  // An account that demands TLS is refused by the same number as a wrong password.
  if (errnoOf(error) === 1045 && sslMode === 'disabled') {
    return new CloudError({ ...refusedOrUnencrypted, safeDetails: { mysqlError: code }, cause: error });
  }
  if (byCode[code] !== unreachable) return error;
  const place = socketPath === undefined ? `${host}, port ${port},` : socketPath;
  return new CloudError({
    ...unreachable,
    message: `The database server at ${place} cannot be reached (${code}).`,
    safeDetails: { mysqlError: code },
    cause: error,
  });
}

/**
 * The error of a MariaDB or MySQL server as a `CloudError`. Returns an error that is not the driver's unchanged.
 * `details` names the columns of a broken rule. When the server names only the rule, `safeDetails.constraint` is its
 * name.
 */
export function mysqlError(error: unknown): unknown {
  if (isCloudError(error)) return error;
  const errno = errnoOf(error);
  const code = codeOf(error);
  // The driver gives no code where a connection is used that it has found lost meanwhile.
  if (errno === 0 && code === '' && !isLostConnection(error)) return error;
  if (raisedByCode.has(errno)) return raisedByDatabase(textOf(error), { mysqlErrno: errno }, error);
  const rule = brokenRules[errno];
  if (rule) return constraintViolation(errno, rule.fields(textOf(error)), error, rule.constraint?.(textOf(error)));
  const refused = valueRefused(errno, error);
  if (refused) return refused;
  const forbidden = forbiddenWrite(errno, textOf(error));
  if (forbidden) return writeForbidden(forbidden, { mysqlErrno: errno }, error);
  const known = byErrno[errno] ?? (isLostConnection(error) ? lost : byCode[code]);
  const safeDetails = { mysqlError: nameOf(errno, code) };
  if (known) return new CloudError({ ...known, safeDetails, cause: error });
  if (isTlsProblem(code)) return new CloudError({ ...untrusted, safeDetails, cause: error });
  return cloudError(
    'DATABASE_QUERY_FAILED',
    `The database could not carry out a query (${nameOf(errno, code)}).`,
    'Look at the log of the agent for the cause.',
    { safeDetails, cause: error },
  );
}

/** Read-only by the server, or by the session; MySQL has a mode of its own for it. */
const readOnlyErrors: ReadonlySet<number> = new Set([1290, 1792, 1836]);

/** The reason why nothing may be written. The servers name the command that they deny, in every language. */
function forbiddenWrite(errno: number, text: string): string | undefined {
  if (readOnlyErrors.has(errno)) return forbiddenReasons.server;
  const isDenied = (errno === 1142 || errno === 1143) && /\b(?:INSERT|UPDATE|DELETE)\b/.test(text);
  return isDenied ? forbiddenReasons.user : undefined;
}

/** Both servers share their numbers up to 1899. The driver names later ones by MySQL's table, also those of MariaDB. */
function nameOf(errno: number, code: string): string {
  if (loginErrors[errno]) return loginErrors[errno].name;
  return code === '' || errno > 1899 ? String(errno) : code;
}

/** A write breaks a rule of the database. `fields` are the columns of the rule. */
export function constraintViolation(
  errno: number,
  fields: readonly string[],
  cause: unknown,
  constraint?: string,
): CloudError {
  const safeDetails = { mysqlErrno: errno, ...(constraint === undefined ? {} : { constraint }) };
  return constraintViolated({ rule: brokenRules[errno]?.rule, fields, safeDetails, cause });
}

/**
 * A trigger or a routine raised the error with SIGNAL (1644), or does what the server lets none do. It may not end a transaction (1422),
 * call itself (1424, 1456), or change a table that the statement uses (1442).
 */
const raisedByCode: ReadonlySet<number> = new Set([1644, 1422, 1424, 1442, 1456]);

interface BrokenRule {
  readonly rule: string;
  /** The columns that the message of the server names. */
  fields(text: string): string[];
  /** The name of the rule, when the server tells nothing else. */
  readonly constraint?: (text: string) => string | undefined;
}

const noFields = (): string[] => [];
const quotedColumn = (text: string): string[] => capture(text, /(?:column|Field|Column) '((?:[^']|'')+)'/);

const brokenRules: Readonly<Record<number, BrokenRule>> = {
  1048: { rule: 'a not-null rule: it must have a value', fields: quotedColumn },
  1364: { rule: 'a not-null rule: it must have a value', fields: quotedColumn },
  1062: {
    rule: 'a unique rule: another record has it already',
    fields: noFields,
    // MySQL puts the table before the name of the key.
    constraint: (text) => /for key '(?:.*\.)?([^']+)'$/s.exec(text)?.[1],
  },
  1451: { rule: 'a foreign key: other records refer to this one', fields: noFields },
  1452: { rule: 'a foreign key: the record it refers to does not exist', fields: foreignKeyColumns },
  3819: {
    rule: 'a check rule of the table',
    fields: noFields,
    constraint: (text) => /constraint '(.+)' is violated/s.exec(text)?.[1],
  },
  4025: {
    rule: 'a check rule of the table',
    fields: noFields,
    constraint: (text) => /CONSTRAINT `(.+)` failed for /s.exec(text)?.[1]?.replaceAll('``', '`'),
  },
};

const refusedValues: Readonly<Record<number, { readonly why: string; fields(text: string): string[] }>> = {
  1264: { why: 'is out of the range of its column', fields: quotedColumn },
  1265: { why: 'does not fit the type of its column', fields: quotedColumn },
  1292: { why: 'does not fit the type of its column', fields: incorrectValueColumn },
  1366: { why: 'does not fit the type of its column', fields: incorrectValueColumn },
  1406: { why: tooLongProblem(), fields: quotedColumn },
  3988: { why: 'has a character that its column cannot hold', fields: noFields },
};

function valueRefused(errno: number, error: unknown): CloudError | undefined {
  const refusal = refusedValues[errno];
  if (!refusal) return undefined;
  return writeRefused({
    code: 'DATABASE_VALUE_REFUSED',
    problem: refusal.why,
    fields: refusal.fields(textOf(error)),
    safeDetails: { mysqlErrno: errno },
    cause: error,
  });
}

function incorrectValueColumn(text: string): string[] {
  const qualified = /for column (?:`.*`\.`.*`\.)?[`'](.+)[`'] at row \d+$/s.exec(text)?.[1];
  return qualified === undefined ? [] : [qualified.replaceAll('``', '`')];
}

function foreignKeyColumns(text: string): string[] {
  const list = /FOREIGN KEY \((`(?:[^`]|``)+`(?:, ?`(?:[^`]|``)+`)*)\) REFERENCES/.exec(text)?.[1] ?? '';
  return [...list.matchAll(/`((?:[^`]|``)+)`/g)].map((match) => (match[1] ?? '').replaceAll('``', '`'));
}

function capture(text: string, pattern: RegExp): string[] {
  const found = pattern.exec(text)?.[1];
  return found === undefined ? [] : [found];
}

const refusedLogin: KnownError = {
  code: 'DATABASE_AUTHENTICATION_FAILED',
  message: 'The database server refused the user or the password.',
  nextSteps: ['Correct the user and the password of the connection.'],
};
const refusedOrUnencrypted: KnownError = {
  ...refusedLogin,
  message:
    'The database server refused the user or the password, or the account demands TLS, which this connection does not use.',
  nextSteps: [
    'Correct the user and the password of the connection.',
    'Where the account demands TLS, choose the SSL mode "required" or "verify".',
  ],
};
const tooMany: KnownError = {
  code: 'DATABASE_BUSY',
  message: 'The database server accepts no more connections.',
  nextSteps: ['Lower the pool size, or raise the limit of the server.'],
};
const tooLong: KnownError = {
  code: 'DATABASE_TIMEOUT',
  message: 'The query took longer than the statement timeout and was cancelled.',
  nextSteps: ['Narrow the query, add an index, or raise the statement timeout of the data source.'],
};
const notPermitted: KnownError = {
  code: 'DATABASE_PERMISSION_DENIED',
  message: 'The database user may not do this.',
  nextSteps: ['Grant the user of the connection the right to do it.'],
};
const unreachable: KnownError = {
  code: 'DATABASE_UNREACHABLE',
  message: 'The database server does not answer at its address.',
  nextSteps: ['Start the server, or correct the host and the port of the connection.'],
};
const lost: KnownError = {
  code: 'DATABASE_UNREACHABLE',
  message: 'The connection to the database was lost.',
  nextSteps: ['Try again; the next query opens a new connection.'],
};
const untrusted: KnownError = {
  code: 'DATABASE_TLS_FAILED',
  message: 'The certificate of the database server is not trusted, or does not name its host.',
  nextSteps: ['Give the authority that signed it, or choose the SSL mode "required", which does not verify.'],
};

const byErrno: Readonly<Record<number, KnownError>> = {
  1040: tooMany,
  1203: tooMany,
  1226: tooMany,
  ...loginErrors,
  1045: refusedLogin,
  1698: refusedLogin,
  1142: notPermitted,
  1143: notPermitted,
  1227: notPermitted,
  1370: notPermitted,
  1049: {
    code: 'DATABASE_NOT_FOUND',
    message: 'The server has no database of this name.',
    nextSteps: ['Correct the name of the database in the connection, or create it.'],
  },
  1020: {
    code: 'DATABASE_BUSY',
    message: 'Another transaction has changed a record since this one read it.',
    nextSteps: ['Try again.'],
  },
  1205: {
    code: 'DATABASE_BUSY',
    message:
      'The query waited too long for a lock: a transaction holds the record or the table, or the table is being changed.',
    nextSteps: [
      'Try again when the other transaction is done.',
      'Look for transactions that stay open, and for an ALTER TABLE that waits for them, in SHOW FULL PROCESSLIST.',
    ],
  },
  1213: {
    code: 'DATABASE_BUSY',
    message: 'The transaction was undone, because it and another one waited for each other.',
    nextSteps: ['Try again.'],
  },
  1317: {
    code: 'DATABASE_QUERY_FAILED',
    message: 'The query was cancelled on the server.',
    nextSteps: ['Send the request again.'],
  },
  1969: tooLong,
  3024: tooLong,
};

const byCode: Readonly<Record<string, KnownError>> = {
  ECONNREFUSED: unreachable,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  ENOENT: unreachable,
  ENOTFOUND: unreachable,
  EAI_AGAIN: unreachable,
  ETIMEDOUT: unreachable,
  [unknownPluginCode]: unknownPlugin,
  PROTOCOL_SEQUENCE_TIMEOUT: tooLong,
  HANDSHAKE_NO_SSL_SUPPORT: {
    code: 'DATABASE_TLS_FAILED',
    message: 'The database server does not offer TLS, which the SSL mode of the connection requires.',
    nextSteps: ['Turn TLS on in the server, or choose the SSL mode "preferred" or "disabled".'],
  },
};

const lostCodes: ReadonlySet<string> = new Set([
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR',
  'PROTOCOL_ENQUEUE_AFTER_QUIT',
  'ECONNRESET',
  'EPIPE',
]);
/** The server is shutting down, ended the connection, or closed it because it was idle for too long. */
const lostNumbers: ReadonlySet<number> = new Set([1053, 1080, 1927, 4031]);

function isTlsProblem(code: string): boolean {
  return /CERT|^ERR_TLS|UNABLE_TO_VERIFY|HANDSHAKE_SSL_ERROR|SELF_SIGNED/.test(code);
}

function errnoOf(error: unknown): number {
  return error instanceof Error && 'errno' in error && typeof error.errno === 'number' && error.errno > 0
    ? error.errno
    : 0;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : '';
}
