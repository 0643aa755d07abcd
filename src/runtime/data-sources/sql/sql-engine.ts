import type { SqlParameter, SqlRow, SqlValue } from '#kernel/ports/sql-row';
import type { TableCheck } from '../checks/table-check.ts';
import type { QueryContext } from '../interface/data-source.ts';
import type { ReplicatedDatabase } from '../interface/read-session.ts';
import type { TableDescription } from '../tables/table-description.ts';
import type { SqlDialect, SqlTransaction } from './sql-dialect.ts';

export type { SqlTransaction } from './sql-dialect.ts';

export interface SqlCatalogue {
  /** In a stable order. */
  readonly tables: readonly TableDescription[];
  /** The tables and columns that are left out or read-only, and why; one sentence each. */
  readonly warnings: readonly string[];
  /** The server that it was read from, where more than one speak a dialect; for `SqlEngine.dialectFor`. */
  readonly server?: string;
}

/** The error that a statement is to be refused with, in place of the one that it met. */
export type ExplainFailure = (sql: string, error: unknown) => Promise<unknown>;

/** A database of one kind, opened: its connections, and what is special about its SQL. */
export interface SqlEngine {
  readonly dialect: SqlDialect;
  /** The dialect of the server that a catalogue was read from, where `dialect` is a first guess. */
  dialectFor?(catalogue: SqlCatalogue): SqlDialect | undefined;
  /** Takes a constant number of statements, however many tables there are. */
  introspect(): Promise<SqlCatalogue>;
  /** The checks of all tables, as the catalogue has them now. Absent where there is no database. */
  checks?(): Promise<readonly TableCheck[]>;
  /** Text that changes when tables, columns or keys do; cheap enough to ask every few seconds. */
  fingerprint(): Promise<string>;
  /**
   * Prepare every statement again from now on. Where it is absent, the database itself gives the parameters of a kept
   * statement the types that their columns have now.
   */
  forgetStatements?(): void;
  /** From now on reads reject with what `explain` makes of their errors. Where it is absent, somebody else asks it. */
  explainFailures?(explain: ExplainFailure): void;
  /** Read on any connection. An abort of `context.signal` cancels the query in the database. */
  read(sql: string, parameters: readonly SqlParameter[], context: QueryContext): Promise<readonly SqlRow[]>;
  /** Run `work` in one transaction: committed when it resolves, rolled back when it rejects. */
  transaction<Result>(work: (transaction: SqlTransaction) => Promise<Result>, context: QueryContext): Promise<Result>;
  /**
   * Run one statement of a user in a transaction that the database itself keeps from writing. `$name` in it stands for a
   * value, which is bound. Rejects with `DATABASE_NATIVE_QUERY_REFUSED` for anything but one reading statement.
   */
  runReadOnly(
    sql: string,
    values: Readonly<Record<string, SqlValue>>,
    context: QueryContext,
  ): Promise<readonly SqlRow[]>;
  /**
   * How far time zones are from UTC at each of `instants`, in seconds east of it, by the rules of the database, for those of
   * `zones` that it knows. Absent where the database has no rules of its own.
   */
  utcOffsets?(zones: readonly string[], instants: readonly Date[]): Promise<ReadonlyMap<string, readonly number[]>>;
  /** A statement of the dialect as the database gets it, where the engine puts something of its database into it. */
  completed?(sql: string): string;
  /** Where reads may go to replicas: which these are. */
  readonly replicas?: ReplicatedDatabase;
  openConnections(): number;
  close(): Promise<void>;
}

/** Runs statements: on the connections of an engine, or on the one of a transaction. */
export type SqlRunner = Pick<SqlEngine, 'read' | 'transaction'>;
