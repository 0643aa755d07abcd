import type { SqlParameter, SqlRow } from './sql-row.ts';

/**
 * Whether the connection is encrypted, and what is checked of the certificate of the server: nothing, who has signed it, or its host
 * name too. Everybody gets a certificate from a public authority, so that without authorities of its own `verify-ca` checks the name.
 */
export type PostgresSslMode = 'disabled' | 'preferred' | 'required' | 'verify-ca' | 'verify';

/** Files in PEM that an address names. They are read when a server is met first. */
export interface PostgresSslFiles {
  /** The authorities to trust. */
  readonly authority?: string | undefined;
  /** The certificate of the client, and its key. */
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
}

/** Whether the login is tied to the encrypted channel, so that nobody in between can pass it on. The words are those of libpq. */
export type PostgresChannelBinding = 'disable' | 'prefer' | 'require';

/** Which servers will do: each, one that accepts writes by default, or one that is not a standby. The words are those of libpq. */
export type PostgresTarget = 'any' | 'read-write' | 'primary';

export interface PostgresParameters {
  /**
   * A host name, an address, or the folder of a Unix socket. Several are divided by commas, each with its port if it is not
   * `port`, as `db1,db2:5433`. Each new connection goes to one that `target` names.
   */
  readonly host: string;
  /** Default `primary` where there are several hosts, else `any`. */
  readonly target?: PostgresTarget | undefined;
  /** Default 5432. */
  readonly port?: number | undefined;
  /** Default `postgres`. */
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly database: string;
  /** Default `preferred`. */
  readonly sslMode?: PostgresSslMode | undefined;
  /** PEM text of the authorities to trust with `verify` and `verify-ca`, instead of those of Node. It counts before a file. */
  readonly sslCertificateAuthority?: string | undefined;
  readonly sslFiles?: PostgresSslFiles | undefined;
  /** Default `disable`. */
  readonly channelBinding?: PostgresChannelBinding | undefined;
  /** What the database's list of connections calls this one; default `vendor-cloud`. */
  readonly applicationName?: string | undefined;
  /** How many connections may be open at once; default 5. */
  readonly poolSize?: number | undefined;
  /** How long to wait for the server, and for a free connection, in milliseconds; default 5000. */
  readonly connectTimeoutMs?: number | undefined;
  /** How long one statement may run, in milliseconds; default 30000. `0` means no limit. */
  readonly statementTimeoutMs?: number | undefined;
  /**
   * Each connection prepares a statement once, under a name. Behind a pooler in transaction mode, statements go without
   * names. Default `true`.
   */
  readonly preparedStatements?: boolean | undefined;
  /** Quick reads share a connection, one sent behind the other. `false` gives each read its own. Default `true`. */
  readonly shareConnections?: boolean | undefined;
  /**
   * `text`: every value comes as the text that the database sends. `typed`: a number, a boolean or bytes where it is one;
   * integers beyond 2^53 lose digits then. Default `text`.
   */
  readonly values?: 'text' | 'typed' | undefined;
  /**
   * `generic`: the database plans each prepared statement once, for all values. For statements that are written for certain indexes. A
   * pooler in transaction mode cannot be in between. Default `auto`: the database decides.
   */
  readonly plans?: 'auto' | 'generic' | undefined;
  /** What each new connection asks the server before anybody uses it. Default: nothing. */
  readonly greeting?: { readonly sql: string; onAnswer(row: SqlRow): void } | undefined;
}

interface PostgresCallOptions {
  /** An abort cancels the statement in the database. */
  readonly signal?: AbortSignal | undefined;
}

interface PostgresTransactionOptions extends PostgresCallOptions {
  /** For statements of the start: the database refuses writes, and no statement stays prepared. */
  readonly isReadOnly?: boolean;
}

/** One connection in the middle of a transaction; statements run one after another. */
export interface PostgresSession {
  all(sql: string, parameters?: readonly SqlParameter[]): Promise<readonly SqlRow[]>;
  /** How many rows the statement changed. */
  run(sql: string, parameters?: readonly SqlParameter[]): Promise<number>;
}

/** A bounded set of connections to one database. */
export interface PostgresPool {
  /** Read on any connection; tried again when the connection was lost or the database asks for it. */
  all(sql: string, parameters?: readonly SqlParameter[], options?: PostgresCallOptions): Promise<readonly SqlRow[]>;
  /** Run `work` in one transaction: committed when it resolves, rolled back when it rejects. */
  transaction<Result>(
    work: (session: PostgresSession) => Promise<Result>,
    options?: PostgresTransactionOptions,
  ): Promise<Result>;
  /**
   * Carry out a query that somebody wrote, if a cursor can have it, in a transaction in which the database refuses writes.
   * It waits two seconds at most for a lock, and nothing of its session outlives it.
   */
  nativeQuery(
    sql: string,
    parameters?: readonly SqlParameter[],
    options?: PostgresCallOptions,
  ): Promise<readonly SqlRow[]>;
  /**
   * Prepare every statement again: after a change of a column, a kept one still gives its parameters the types that they had.
   */
  forgetStatements(): void;
  openConnections(): number;
  close(): Promise<void>;
}
