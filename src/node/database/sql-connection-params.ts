import { resolve } from 'node:path';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { PostgresSslMode, PostgresTarget } from '#kernel/ports/postgres-pool';
import { parseServerAddress } from '#kernel/text/server-address';

/** A SQLite file. */
export interface SqliteConnectionParams {
  readonly dialect: 'sqlite';
  /** Path of the file. */
  readonly storage: string;
}

/** A database server. Of `sslMode` and `schemas` those of the options count first. */
export interface ServerConnectionParams extends UriParameters {
  readonly dialect: 'postgres' | 'mariadb' | 'mysql';
  /** For PostgreSQL several, divided by commas, each with its port if it is not `port`: the primary among them is used. */
  readonly host: string;
  /** Default 5432 for PostgreSQL, 3306 for the others. */
  readonly port?: number | undefined;
  readonly database: string;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

/** Where a SQL database is: what a connection URI says, in parts. */
export type SqlConnectionParams = SqliteConnectionParams | ServerConnectionParams;

const schemes: Readonly<Record<string, SqlConnectionParams['dialect']>> = {
  sqlite: 'sqlite',
  postgres: 'postgres',
  postgresql: 'postgres',
  pg: 'postgres',
  mariadb: 'mariadb',
  mysql: 'mysql',
};

/**
 * Read a connection URI: `sqlite:./shop.sqlite`, `sqlite:///var/data/shop.sqlite`, `postgres://user:password@host:5432/shop`,
 * `mariadb://…`, `mysql://…`. Behind a "?" those of servers take `sslmode` and `schema`, as `?sslmode=require&schema=public,billing`.
 * PostgreSQL also takes several hosts and `target_session_attrs`, as `postgres://app@db1,db2:5433/shop?target_session_attrs=read-write`.
 *
 * @param baseFolder what relative paths start from; by default the folder the process was started in.
 * @throws `DATABASE_URI_INVALID`, without repeating the URI: it may hold a password.
 */
export function resolveSqlConnection(from: string | SqlConnectionParams, baseFolder = ''): SqlConnectionParams {
  const parameters = typeof from === 'string' ? parseSqlUri(from) : from;
  if (!Object.values(schemes).includes(parameters.dialect)) throw unsupported(String(parameters.dialect));
  if (parameters.dialect !== 'sqlite') {
    if (parameters.database === '') throw invalidUri('The URI of a database server ends in the name of a database.');
    return parameters;
  }
  if (parameters.storage === '') throw invalidUri('A SQLite URI needs the path of a file.');
  return { dialect: 'sqlite', storage: resolve(baseFolder, parameters.storage) };
}

function parseSqlUri(uri: string): SqlConnectionParams {
  const [, scheme, rest = ''] = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(uri) ?? [];
  if (scheme === undefined) throw invalidUri('A connection URI begins with its scheme, for instance "sqlite:".');
  const dialect = schemes[scheme.toLowerCase()];
  if (dialect === undefined) throw unsupported(scheme);
  if (dialect !== 'sqlite') return parseServerUri(dialect, uri);
  // sqlite:///abs and sqlite://./relative carry an empty authority, sqlite:./relative and sqlite:/abs none.
  const path = rest.startsWith('//') ? rest.slice(2) : rest;
  return { dialect: 'sqlite', storage: decode(path) };
}

function parseServerUri(dialect: ServerConnectionParams['dialect'], uri: string): ServerConnectionParams {
  const address = parseServerAddress(uri);
  if (!address) throw invalidUri('The connection URI cannot be read; special signs in a password are percent-encoded.');
  const { hostname, port, username, password, pathname, searchParams } = address.url;
  const areSeveral = address.hosts.length > 1;
  if (areSeveral && dialect !== 'postgres') throw invalidUri('Only the URI of PostgreSQL names several hosts.');
  const firstHost = hostname === '' ? '127.0.0.1' : hostname.replace(/^\[|\]$/g, '');
  return {
    dialect,
    host: areSeveral ? address.hosts.join(',') : firstHost,
    ...(port === '' || areSeveral ? {} : { port: Number(port) }),
    database: decode(pathname.slice(1)),
    ...(username === '' ? {} : { username: decode(username) }),
    ...(password === '' ? {} : { password: decode(password) }),
    ...readUriParameters(searchParams, dialect, invalidUri),
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    throw invalidUri('A part of the connection URI has a broken percent-encoding.', error);
  }
}

function unsupported(scheme: string): CloudError {
  return invalidUri(`The scheme "${scheme}" is not supported.`);
}

function invalidUri(message: string, cause?: unknown): CloudError {
  return cloudError(
    'DATABASE_URI_INVALID',
    message,
    [
      'Use the URI of a SQL database: sqlite:./file.sqlite, postgres://…, mariadb://… or mysql://…',
      'MongoDB holds records only, not the store of a platform: createMongoDataSource, vendor-cloud.json and --uri take mongodb://….',
    ],
    { cause },
  );
}

/** What the parameters behind the "?" of a connection URI say; options of the data source count before it. */
interface UriParameters {
  readonly sslMode?: PostgresSslMode | undefined;
  /** Schemas to read. */
  readonly schemas?: readonly string[] | undefined;
  /** Of PostgreSQL: which of several hosts will do. Default `primary` where there are several, else `any`. */
  readonly target?: PostgresTarget | undefined;
}

const targets: Readonly<Record<string, PostgresTarget>> = {
  any: 'any',
  'read-write': 'read-write',
  primary: 'primary',
};

/** The words of libpq (`sslmode`) and of the clients of MySQL (`ssl-mode`), in lower case. */
const sslModes: Readonly<Record<string, UriParameters['sslMode']>> = {
  disable: 'disabled',
  disabled: 'disabled',
  allow: 'preferred',
  prefer: 'preferred',
  preferred: 'preferred',
  require: 'required',
  required: 'required',
  'verify-ca': 'verify',
  verify_ca: 'verify',
  'verify-full': 'verify',
  verify_identity: 'verify',
};

/** @throws what `refuse` makes of a parameter that is not known: to pass over one could be to connect in the open. */
function readUriParameters(
  query: URLSearchParams,
  dialect: ServerConnectionParams['dialect'],
  refuse: (message: string) => Error,
): UriParameters {
  const read: { -readonly [Name in keyof UriParameters]: UriParameters[Name] } = {};
  for (const [name, value] of query) {
    switch (name.toLowerCase()) {
      case 'sslmode':
      case 'ssl-mode':
        if (!Object.hasOwn(sslModes, value.toLowerCase())) {
          throw refuse(`"${name}" is disable, prefer, require or verify-full.`);
        }
        read.sslMode = sslModes[value.toLowerCase()];
        break;
      case 'schema':
        read.schemas = value.split(',').filter((schema) => schema !== '');
        break;
      case 'target_session_attrs':
        if (dialect !== 'postgres') throw refuse(`Only the URI of PostgreSQL takes "${name}".`);
        if (!Object.hasOwn(targets, value)) throw refuse(`"${name}" is primary, read-write or any.`);
        read.target = targets[value];
        break;
      default:
        throw refuse(
          `The parameter "${name}" is not known; a connection URI takes sslmode, schema and, for PostgreSQL, target_session_attrs.`,
        );
    }
  }
  return read;
}
