import type { SqlRow, SqlValue } from './sql-row.ts';

interface SqlRunResult {
  readonly changes: number;
  readonly lastInsertRowid: number | bigint;
}

interface SqlAggregate<State> {
  start(): State;
  step(state: State, ...values: SqlValue[]): State;
  result(state: State): SqlValue;
}

/** An open SQLite database that caches statements by their text. */
export interface SqliteConnection {
  all(sql: string, parameters?: readonly SqlValue[]): SqlRow[];
  /** The same row by row, for many rows. The statement is not cached. */
  each(sql: string, parameters?: readonly SqlValue[]): Iterable<SqlRow>;
  /** Carry out a statement that writes. Statements with RETURNING go through `all`. */
  run(sql: string, parameters?: readonly SqlValue[]): SqlRunResult;
  /** Run `work` in one transaction: committed when it returns, rolled back when it throws. */
  transaction<Result>(work: () => Result): Result;
  /** Whether a transaction is open; some failures make the database itself end it. */
  isInTransaction(): boolean;
  /** Statements separated by `;`, for schemas and scripts. */
  execute(script: string): void;
  /** Make a JavaScript function callable in SQL. It returns the same for the same values, unless it `isVolatile`. */
  defineFunction(
    name: string,
    evaluate: (...values: SqlValue[]) => SqlValue,
    options?: { readonly isVolatile?: boolean },
  ): void;
  /** The same for an aggregate: `step` folds the values of one row into the state, `result` reads the last state. */
  defineAggregate<State>(name: string, aggregate: SqlAggregate<State>): void;
  close(): void;
}
