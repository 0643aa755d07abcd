export type SqlValue = string | number | bigint | boolean | Uint8Array | null;
export type SqlRow = Readonly<Record<string, SqlValue>>;

export interface SqlRunResult {
  readonly changes: number;
  readonly lastInsertRowid: number | bigint;
}

/** One open SQLite database, statements cached by their text. */
export interface SqliteConnection {
  all(sql: string, parameters?: readonly SqlValue[]): SqlRow[];
  /** Carry out a statement that writes. Statements with RETURNING go through `all`. */
  run(sql: string, parameters?: readonly SqlValue[]): SqlRunResult;
  /** Run `work` in one transaction: committed when it returns, rolled back when it throws. */
  transaction<Result>(work: () => Result): Result;
  /** Statements separated by `;`, for schemas and scripts. */
  execute(script: string): void;
  close(): void;
}
