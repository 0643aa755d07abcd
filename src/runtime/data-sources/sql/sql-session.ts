import type { SqlParameter, SqlRow, SqlValue } from '#kernel/ports/sql-row';

/** A connection in the middle of a transaction. */
export interface SqlSession {
  /** Carry out a statement that returns rows. */
  all(sql: string, parameters: readonly SqlParameter[]): Promise<readonly SqlRow[]>;
  /** Carry out a statement that does not; how many rows it changed. */
  run(sql: string, parameters: readonly SqlParameter[]): Promise<number>;
  /** Carry out an INSERT of one row; the number that it got where one is counted. Given where the dialect has `keyRules`. */
  insert?(sql: string, parameters: readonly SqlParameter[]): Promise<SqlValue>;
}
