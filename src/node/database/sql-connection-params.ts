import { resolve } from 'node:path';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type {
  PostgresChannelBinding,
  PostgresSslFiles,
  PostgresSslMode,
  PostgresTarget,
} from '#kernel/ports/postgres-pool';
import { parseServerAddress } from '#kernel/text/server-address';

/** A SQLite file. */
export interface SqliteConnectionParams {
  readonly dialect: 'sqlite';
  /** Path of the file. */
  readonly storage: string;
}

/** A database server. Options of the same name count before its own. */
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
 * PostgreSQL also takes several hosts and `target_session_attrs`, as `postgres://app@db1,db2:5433/shop?target_session_attrs=read-write`,
 * and what hosted databases write into their addresses: `connect_timeout`, `application_name`, `pgbouncer`, `channel_binding`,
 * `sslrootcert`, `sslcert`, `sslkey`.
 *
 * @param baseFolder what relative paths start from; by default the folder the process was started in.
 * @throws `DATABASE_URI_INVALID`, without repeating the URI: it may hold a password.
 */
export function resolveSqlConnection(from: string | SqlConnectionParams, baseFolder = ''): SqlConnectionParams {
  const parameters = typeof from === 'string' ? parseSqlUri(from, baseFolder) : from;
  if (!Object.values(schemes).includes(parameters.dialect)) throw unsupported(String(parameters.dialect));
  if (parameters.dialect !== 'sqlite') {
    if (parameters.database === '') throw invalidUri('The URI of a database server ends in the name of a database.');
    return parameters;
  }
  if (parameters.storage === '') throw invalidUri('A SQLite URI needs the path of a file.');
  return { dialect: 'sqlite', storage: resolve(baseFolder, parameters.storage) };
}

function parseSqlUri(uri: string, baseFolder: string): SqlConnectionParams {
  const [, scheme, rest = ''] = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(uri) ?? [];
  if (scheme === undefined) throw invalidUri('A connection URI begins with its scheme, for instance "sqlite:".');
  const dialect = schemes[scheme.toLowerCase()];
  if (dialect === undefined) throw unsupported(scheme);
  if (dialect !== 'sqlite') return parseServerUri(dialect, uri, baseFolder);
  // sqlite:///abs and sqlite://./relative carry an empty authority, sqlite:./relative and sqlite:/abs none.
  const path = rest.startsWith('//') ? rest.slice(2) : rest;
  return { dialect: 'sqlite', storage: decode(path) };
}

function parseServerUri(
  dialect: ServerConnectionParams['dialect'],
  uri: string,
  baseFolder: string,
): ServerConnectionParams {
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
    ...withFilesOf(readUriParameters(searchParams, dialect), baseFolder),
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

function invalidParameter(name: string, message: string, instead = ''): CloudError {
  return cloudError('DATABASE_URI_INVALID', message, `Leave "${name}" out of the connection URI${instead}.`);
}

/** What the parameters behind the "?" of a connection URI say; options of the data source count before it. */
interface UriParameters {
  readonly sslMode?: PostgresSslMode | undefined;
  /** Schemas to read. */
  readonly schemas?: readonly string[] | undefined;
  /** Of PostgreSQL: which of several hosts will do. Default `primary` where there are several, else `any`. */
  readonly target?: PostgresTarget | undefined;
  readonly connectTimeoutMs?: number | undefined;
  readonly preparedStatements?: boolean | undefined;
  /** Of PostgreSQL: what its list of connections calls this one. */
  readonly applicationName?: string | undefined;
  /** Of PostgreSQL. */
  readonly channelBinding?: PostgresChannelBinding | undefined;
  /** Of PostgreSQL. */
  readonly sslFiles?: PostgresSslFiles | undefined;
}

const targets: Readonly<Record<string, PostgresTarget>> = {
  any: 'any',
  'read-write': 'read-write',
  primary: 'primary',
};

const bindings: Readonly<Record<string, PostgresChannelBinding>> = {
  disable: 'disable',
  prefer: 'prefer',
  require: 'require',
};

/** The words of libpq (`sslmode`) and of the clients of MySQL (`ssl-mode`), in lower case. */
const sslModes: Readonly<Record<string, PostgresSslMode>> = {
  disable: 'disabled',
  disabled: 'disabled',
  allow: 'preferred',
  prefer: 'preferred',
  preferred: 'preferred',
  require: 'required',
  required: 'required',
  'verify-ca': 'verify-ca',
  verify_ca: 'verify-ca',
  'verify-full': 'verify',
  verify_identity: 'verify',
};

/** @throws for a parameter that is not known: to pass over one could be to connect in the open. */
function readUriParameters(query: URLSearchParams, dialect: ServerConnectionParams['dialect']): UriParameters {
  let read: UriParameters = {};
  for (const [name, value] of query) {
    const known = name.toLowerCase();
    const reader = parametersOfAll.get(known) ?? parametersOfPostgres.get(known);
    if (reader === undefined) {
      throw invalidParameter(name, `The parameter "${name}" is not known. A connection URI takes ${knownParameters}.`);
    }
    if (dialect !== 'postgres' && !parametersOfAll.has(known)) {
      throw invalidParameter(name, `Only the URI of PostgreSQL takes "${name}".`);
    }
    const { sslFiles, ...others } = reader(value, name);
    read = { ...read, ...others, ...(sslFiles ? { sslFiles: { ...read.sslFiles, ...sslFiles } } : {}) };
  }
  return read;
}

/** What `sslrootcert` says in place of a file: the authorities that the machine trusts. */
const ofSystem = 'system';

/**
 * The parameters with what libpq makes of the files. A file of authorities means that the certificate is checked against it. Those of
 * the system sign for everybody, so that libpq refuses to check less than the host name with them.
 */
function withFilesOf({ sslFiles, ...read }: UriParameters, baseFolder: string): UriParameters {
  if (!sslFiles) return read;
  const { authority, certificate, key } = sslFiles;
  if ((certificate === undefined) !== (key === undefined)) {
    const [given, missing] = certificate === undefined ? ['sslkey', 'sslcert'] : ['sslcert', 'sslkey'];
    throw invalidParameter(given, `"${given}" needs "${missing}" beside it.`, `, or add "${missing}=<file>"`);
  }
  const isOfSystem = authority === ofSystem;
  if (isOfSystem && (read.sslMode ?? 'verify') !== 'verify') {
    throw invalidParameter(
      'sslrootcert',
      '"sslrootcert=system" needs "sslmode=verify-full".',
      ', or write "sslmode=verify-full"',
    );
  }
  const isChecked = authority !== undefined && !['disabled', 'verify'].includes(read.sslMode ?? 'preferred');
  const files = Object.entries({ ...sslFiles, authority: isOfSystem ? undefined : authority });
  const absolute = files.flatMap(([name, file]) => (file === undefined ? [] : [[name, resolve(baseFolder, file)]]));
  return {
    ...read,
    ...(isOfSystem ? { sslMode: 'verify' } : isChecked ? { sslMode: 'verify-ca' } : {}),
    ...(absolute.length > 0 ? { sslFiles: Object.fromEntries(absolute) } : {}),
  };
}

type ParameterReader = (value: string, name: string) => UriParameters;

const sslMode: ParameterReader = (value, name) => ({
  sslMode: oneOf(sslModes, value.toLowerCase(), name, 'disable, prefer, require, verify-ca or verify-full'),
});

const parametersOfAll = new Map<string, ParameterReader>(
  Object.entries({
    sslmode: sslMode,
    'ssl-mode': sslMode,
    schema: (value) => ({ schemas: value.split(',').filter((schema) => schema !== '') }),
    connect_timeout: (value, name) => {
      const isNumber = /^[1-9]\d{0,5}$/.test(value);
      if (!isNumber) throw invalidParameter(name, `"${name}" is a whole number of seconds, 1 or more.`);
      return { connectTimeoutMs: Number(value) * 1000 };
    },
  } satisfies Record<string, ParameterReader>),
);

/** Those of libpq, and `pgbouncer`, which Prisma writes for a pooler that shares connections by transaction. */
const parametersOfPostgres = new Map<string, ParameterReader>(
  Object.entries({
    target_session_attrs: (value, name) => ({ target: oneOf(targets, value, name, 'primary, read-write or any') }),
    application_name: (value) => ({ applicationName: value }),
    pgbouncer: (value, name) =>
      oneOf({ true: { preparedStatements: false }, false: {} }, value.toLowerCase(), name, 'true or false'),
    channel_binding: (value, name) => ({ channelBinding: oneOf(bindings, value, name, 'disable, prefer or require') }),
    sslrootcert: (value, name) => ({ sslFiles: { authority: fileOf(value, name) } }),
    sslcert: (value, name) => ({ sslFiles: { certificate: fileOf(value, name) } }),
    sslkey: (value, name) => ({ sslFiles: { key: fileOf(value, name) } }),
  } satisfies Record<string, ParameterReader>),
);

const knownParameters = `${[...parametersOfAll.keys()].join(', ')}, and for PostgreSQL ${[...parametersOfPostgres.keys()].join(', ')}`;

function fileOf(value: string, name: string): string {
  if (value === '') throw invalidParameter(name, `"${name}" names no file.`);
  return value;
}

function oneOf<Value>(values: Readonly<Record<string, Value>>, value: string, name: string, words: string): Value {
  const found = Object.hasOwn(values, value) ? values[value] : undefined;
  if (found === undefined) throw invalidParameter(name, `"${name}" is ${words}.`);
  return found;
}
