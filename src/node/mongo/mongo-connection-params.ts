import { type CloudError, cloudError } from '#kernel/errors/cloud-error';

/** Where a MongoDB database is: what a connection URI says, in parts. */
export interface MongoConnectionParams {
  /** A host name or an address; those of a replica set divided by commas, each with its port if it is not `port`. */
  readonly host: string;
  /** Default 27017. */
  readonly port?: number | undefined;
  readonly database: string;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** The database that knows the user. Default: `admin` where there is a user. */
  readonly authSource?: string | undefined;
  /** The name of the replica set. */
  readonly replicaSet?: string | undefined;
  /** Whether the connection is encrypted. Default `false`. */
  readonly tls?: boolean | undefined;
}

/** A connection as the driver takes it. */
export interface ResolvedMongoConnection {
  readonly uri: string;
  readonly database: string;
}

/**
 * Read a connection URI, `mongodb://user:password@host:27017/shop` or `mongodb+srv://…`, or the same in parts. What stands behind a "?"
 * is for the driver.
 *
 * @throws `DATABASE_URI_INVALID`, without repeating the URI: it may hold a password.
 */
export function resolveMongoConnection(from: string | MongoConnectionParams): ResolvedMongoConnection {
  const uri = typeof from === 'string' ? from : uriOf(from);
  const [, authority, path] = /^mongodb(?:\+srv)?:\/\/([^/?]+)\/?([^?]*)/i.exec(uri) ?? [];
  if (authority === undefined)
    throw invalidUri('The URI of a MongoDB database begins with "mongodb://" or "mongodb+srv://", and a host.');
  const database = decode(path ?? '');
  if (database === '') throw invalidUri('The URI of a MongoDB database ends in the name of the database.');
  if (/[/\\. "$*<>:|]/.test(database))
    throw invalidUri('The name of a MongoDB database has no dots, slashes, spaces or signs.');
  return { uri, database };
}

/** Whether a connection URI is that of a MongoDB database. */
export function isMongoUri(uri: string): boolean {
  return /^mongodb(?:\+srv)?:/i.test(uri);
}

function uriOf(parameters: MongoConnectionParams): string {
  const { host, port, database, username, password, authSource, replicaSet, tls } = parameters;
  const secret = password === undefined ? '' : `:${encodeURIComponent(password)}`;
  const user = username === undefined ? '' : `${encodeURIComponent(username)}${secret}@`;
  const hosts = host.split(',').map((one) => (port === undefined || /:\d+$/.test(one) ? one : `${one}:${port}`));
  const query = new URLSearchParams();
  if (username !== undefined) query.set('authSource', authSource ?? 'admin');
  if (replicaSet !== undefined) query.set('replicaSet', replicaSet);
  if (tls !== undefined) query.set('tls', String(tls));
  return `mongodb://${user}${hosts.join(',')}/${encodeURIComponent(database)}?${query}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    throw invalidUri('A part of the connection URI has a broken percent-encoding.', error);
  }
}

/** What the message says never repeats the URI. */
export function invalidUri(message: string, cause?: unknown): CloudError {
  return cloudError(
    'DATABASE_URI_INVALID',
    message,
    'Use a connection URI such as mongodb://user:password@host:27017/database.',
    { cause },
  );
}
