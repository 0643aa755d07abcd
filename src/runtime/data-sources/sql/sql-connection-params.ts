import { resolve } from 'node:path';
import { CloudError } from '#kernel/errors/cloud-error';

/** Where a SQL database is: what a connection URI says, in parts. */
export interface SqlConnectionParams {
  readonly dialect: 'sqlite';
  /** Path of the SQLite file. */
  readonly storage: string;
}

/**
 * Read a connection URI: `sqlite:./shop.sqlite`, `sqlite:///var/data/shop.sqlite`.
 *
 * @param baseFolder what relative paths start from; by default the folder the process was started in.
 * @throws `DATABASE_URI_INVALID`, without repeating the URI: it may hold a password.
 */
export function resolveSqlConnection(from: string | SqlConnectionParams, baseFolder = ''): SqlConnectionParams {
  const parameters = typeof from === 'string' ? parseSqlUri(from) : from;
  if (parameters.dialect !== 'sqlite') throw unsupported(String(parameters.dialect));
  if (parameters.storage === '') throw invalidUri('A SQLite URI needs the path of a file.');
  return { dialect: 'sqlite', storage: resolve(baseFolder, parameters.storage) };
}

function parseSqlUri(uri: string): SqlConnectionParams {
  const [, scheme, rest = ''] = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(uri) ?? [];
  if (scheme === undefined) throw invalidUri('A connection URI begins with its scheme, for instance "sqlite:".');
  if (scheme.toLowerCase() !== 'sqlite') throw unsupported(scheme);
  // sqlite:///abs and sqlite://./relative carry an empty authority, sqlite:./relative and sqlite:/abs none.
  const path = rest.startsWith('//') ? rest.slice(2) : rest;
  return { dialect: 'sqlite', storage: decode(path) };
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    throw invalidUri('The path in a connection URI has a broken percent-encoding.', error);
  }
}

function unsupported(scheme: string): CloudError {
  return invalidUri(`The scheme "${scheme}" is not supported.`);
}

function invalidUri(message: string, cause?: unknown): CloudError {
  return new CloudError({
    code: 'DATABASE_URI_INVALID',
    message,
    nextSteps: ['Use a supported connection URI, for instance "sqlite:./shop.sqlite".'],
    cause,
  });
}
