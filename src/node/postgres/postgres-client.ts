import type { ConnectionOptions } from 'node:tls';
import type { Client, ClientConfig, QueryResult, types } from 'pg';
import type { SqlParameter, SqlRow } from '#kernel/ports/sql-row';
import type { PostgresServer } from './postgres-hosts.ts';
import { bindingFailed } from './postgres-tls.ts';

/** Members of the client that its types and its documentation leave out. The driver does not mark them as private. */
declare module 'pg' {
  interface Client {
    /** From the greeting of the server. With both, another connection can cancel what this one is doing. */
    readonly processID: number | null;
    readonly secretKey: number | null;
    /** The parameters of the message that starts a connection. */
    getStartupConf(): Readonly<Record<string, string>>;
  }
  interface Query {
    /** Of the prepared statement; without one it is prepared for this time only. */
    name: string | undefined;
    queryMode: 'extended' | undefined;
  }
}

/** Gets the error, or the result. */
type OnAnswer = (error: Error | undefined, result: QueryResult<SqlRow>) => void;

export interface PostgresClient extends Client {
  /** Send one statement, which is prepared under `name` where there is one. */
  ask(sql: string, values: readonly SqlParameter[], name: string | undefined, onAnswer: OnAnswer): void;
}

interface Driver {
  readonly FixedClient: new (config: ClientConfig) => PostgresClient;
  readonly types: typeof types;
}

type ValueParsers = NonNullable<ClientConfig['types']>;

let loading: Promise<Driver> | undefined;

/** A client of the driver, which is loaded now. It is not connected yet. */
export async function createPostgresClient(
  server: PostgresServer,
  tls: ConnectionOptions | undefined,
  connectTimeoutMs: number,
): Promise<PostgresClient> {
  loading ??= loadDriver();
  const { FixedClient, types } = await loading;
  const client = new FixedClient({
    host: server.host,
    port: server.port,
    user: server.user ?? 'postgres',
    database: server.database,
    ssl: tls ?? false,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    pipeline: true,
    application_name: server.applicationName ?? 'vendor-cloud',
    types: server.values === 'typed' ? typedValues(types) : asText,
    enableChannelBinding: tls !== undefined && (server.channelBinding ?? 'disable') !== 'disable',
    ...(server.password === undefined ? {} : { password: server.password }),
  });
  if (server.channelBinding === 'require') requireBinding(client);
  return client;
}

/**
 * The driver binds the login to the channel where the server offers that. Otherwise it goes on without, so that whoever answers may
 * ask for the password itself. Every way to log in comes as an event: this listener stands before that of the driver, which
 * answers nothing on a connection that is cut.
 */
function requireBinding({ connection }: PostgresClient): void {
  let isBound = false;
  const refuse = (reason: string) => {
    connection.emit('error', bindingFailed(reason));
    connection.stream.destroy();
  };
  connection.on('authenticationSASL', ({ mechanisms }: { readonly mechanisms: readonly string[] }) => {
    if (!mechanisms.includes('SCRAM-SHA-256-PLUS')) refuse('the server does not offer that');
  });
  connection.on('authenticationSASLFinal', () => {
    isBound = true;
  });
  for (const other of ['authenticationCleartextPassword', 'authenticationMD5Password']) {
    connection.on(other, () => refuse('the server asks for the password in a way that cannot be tied'));
  }
  connection.on('authenticationOk', () => {
    if (!isBound) refuse('the server lets everybody in without it');
  });
}

/**
 * The client of the driver, changed so that dates come as ISO 8601 in UTC whatever the server is set to. The message
 * that starts the connection asks for that. Poolers know these two settings there; they refuse other ways to set them,
 * or stop sharing a connection that carries out `set`.
 */
async function loadDriver(): Promise<Driver> {
  const { default: driver } = await import('pg');
  const FixedClient = class extends driver.Client {
    override getStartupConf(): Readonly<Record<string, string>> {
      return { ...super.getStartupConf(), DateStyle: 'ISO', TimeZone: 'UTC' };
    }

    ask(sql: string, values: SqlParameter[], name: string | undefined, onAnswer: OnAnswer): void {
      // The driver copies a query that comes as an object, with the descriptors of its properties. That takes twenty times as long.
      const query = new driver.Query<SqlRow>(sql, values, onAnswer);
      query.name = name;
      // For a statement without values the driver would take the simple protocol, which carries out several statements at once.
      query.queryMode = 'extended';
      this.query(query);
    }
  };
  return { FixedClient, types: driver.types };
}

/** Keeps every value as the text that the database sends. The code that knows its column decides what it means. */
const asText = { getTypeParser: () => (text: unknown) => text } as ValueParsers;

/** Reads values as the driver does, but a `bigint` as a number. */
function typedValues({ builtins, getTypeParser }: typeof types): ValueParsers {
  const parserOf = (type: number) => (type === builtins.INT8 ? Number : getTypeParser(type));
  return { getTypeParser: parserOf } as ValueParsers;
}
