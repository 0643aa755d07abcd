import type { SqlParameter, SqlRow } from '#kernel/ports/sql-row';
import type { KnownStatement } from './postgres-statements.ts';

/** One execution of a statement that is known to be quick. */
export interface QuickRead {
  readonly statement: KnownStatement;
  readonly sql: string;
  readonly parameters: readonly SqlParameter[];
  readonly signal: AbortSignal | undefined;
  /**
   * Give the caller the rows, or `undefined` when the read needs a connection of its own. Only the first call counts.
   */
  resolve(rows: readonly SqlRow[] | undefined): void;
  /** Give the caller the error. Only the first call counts. */
  reject(error: unknown): void;
}

/** A read that was sent over a shared connection and has no answer yet. */
export interface ReadUnderWay {
  readonly read: QuickRead;
  /** Nobody waits for the answer any more: the read is carried out elsewhere, or its caller has gone. */
  isLeft: boolean;
  isTimedOut: boolean;
  isCancelled: boolean;
}
