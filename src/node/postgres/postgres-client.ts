import type { ConnectionOptions } from 'node:tls';
import type { Client, ClientConfig, Connection, QueryResult, types } from 'pg';
import type { SqlParameter, SqlRow, SqlValue } from '#kernel/ports/sql-row';
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
    /** Sends the statement with its values. */
    prepare(connection: Connection): void;
    handleRowDescription(message: RowDescription): void;
    handleDataRow(message: DataRow): void;
    handleCommandComplete(message: { readonly text: string }, connection: Connection): void;
    handleReadyForQuery(connection: Connection): void;
    /** Gives the error to whoever asked. */
    handleError(error: Error): void;
  }
}

/** What the server says of the columns of a result. */
interface RowDescription {
  readonly fields: readonly { readonly name: string }[];
}

interface DataRow {
  readonly fields: readonly (string | null)[];
}

/** The result of a statement. */
export type PostgresResult = Pick<QueryResult<SqlRow>, 'rows' | 'rowCount' | 'command'>;

/** Gets the error, or the result. */
type OnAnswer = (error: Error | undefined, result: PostgresResult) => void;

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
  const TextQuery = textQueryOf(driver);
  const FixedClient = class extends driver.Client {
    /** The columns of the named statements that the server has described. */
    readonly #described = new Map<string, DescribedRow>();
    readonly #isText: boolean;

    constructor(config: ClientConfig) {
      super(config);
      this.#isText = config.types === asText;
    }

    override getStartupConf(): Readonly<Record<string, string>> {
      return { ...super.getStartupConf(), DateStyle: 'ISO', TimeZone: 'UTC' };
    }

    ask(sql: string, values: SqlParameter[], name: string | undefined, onAnswer: OnAnswer): void {
      // The driver copies a query that comes as an object, with the descriptors of its properties. That takes twenty times as long.
      const query = this.#isText
        ? new TextQuery(sql, values, onAnswer, this.#described)
        : new driver.Query<SqlRow>(sql, values, onAnswer);
      query.name = name;
      // For a statement without values the driver would take the simple protocol, which carries out several statements at once.
      query.queryMode = 'extended';
      this.query(query);
    }
  };
  return { FixedClient, types: driver.types };
}

/** The columns of a result. */
interface DescribedRow {
  readonly names: readonly string[];
  /** A row without values, to be copied. */
  readonly empty: SqlRow;
}

const noColumns: DescribedRow = { names: [], empty: {} };

/**
 * The query of the driver, for values that stay texts. It has the server describe the columns of a named statement once for each
 * connection, because the server refuses to carry out one whose columns have changed. To describe them and to read that each time
 * took a twentieth of a small read.
 */
function textQueryOf({ Query }: Pick<typeof import('pg'), 'Query'>) {
  return class TextQuery extends Query<SqlRow> {
    readonly #onAnswer: OnAnswer;
    readonly #known: Map<string, DescribedRow>;
    readonly #rows: SqlRow[] = [];
    #described: DescribedRow | undefined;
    /** What the server says at the end, such as `SELECT 15` or `INSERT 0 1`. */
    #ending = '';
    /** A pooler may have prepared the statement again on another connection, after its columns had changed. */
    #isOdd = false;

    constructor(sql: string, values: SqlParameter[], onAnswer: OnAnswer, known: Map<string, DescribedRow>) {
      super(sql, values, onAnswer);
      this.#onAnswer = onAnswer;
      this.#known = known;
    }

    override prepare(connection: Connection): void {
      this.#described = this.name === undefined ? undefined : this.#known.get(this.name);
      super.prepare(this.#described ? describingNothing(connection) : connection);
    }

    override handleRowDescription({ fields }: RowDescription): void {
      const names = fields.map(({ name }) => name);
      this.#described = { names, empty: Object.fromEntries(names.map((name) => [name, null])) };
      if (this.name !== undefined) this.#known.set(this.name, this.#described);
    }

    override handleDataRow({ fields }: DataRow): void {
      const { names, empty } = this.#described ?? noColumns;
      if (names.length !== fields.length) this.#isOdd = true;
      const row: Record<string, SqlValue> = { ...empty };
      for (let index = 0; index < names.length; index++) row[names[index] ?? ''] = fields[index] ?? null;
      this.#rows.push(row);
    }

    override handleCommandComplete({ text }: { readonly text: string }): void {
      this.#ending = text;
    }

    override handleReadyForQuery(): void {
      if (this.#isOdd) {
        this.#known.delete(this.name ?? '');
        super.handleError(new TypeError('The columns of a prepared statement have changed.'));
        return;
      }
      const [command = '', ...counts] = this.#ending.split(' ');
      const last = counts.at(-1);
      this.#onAnswer(undefined, { rows: this.#rows, command, rowCount: last === undefined ? null : Number(last) });
    }
  };
}

const quiet = new WeakMap<Connection, Connection>();

/** The same connection, except for the question what the columns of a result are. */
function describingNothing(connection: Connection): Connection {
  const known = quiet.get(connection);
  if (known) return known;
  const created: Connection = Object.create(connection, { describe: { value: () => undefined } });
  quiet.set(connection, created);
  return created;
}

/** Keeps every value as the text that the database sends. The code that knows its column decides what it means. */
const asText = { getTypeParser: () => (text: unknown) => text } as ValueParsers;

/** Reads values as the driver does, but a `bigint` as a number. */
function typedValues({ builtins, getTypeParser }: typeof types): ValueParsers {
  const parserOf = (type: number) => (type === builtins.INT8 ? Number : getTypeParser(type));
  return { getTypeParser: parserOf } as ValueParsers;
}
