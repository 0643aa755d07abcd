import type { SqlParameter, SqlRow } from '#kernel/ports/sql-row';
import type { KnownStatement } from './postgres-statements.ts';

/** One execution of a statement that is known to be quick. */
export interface QuickRead {
  readonly statement: KnownStatement;
  readonly sql: string;
  readonly parameters: readonly SqlParameter[];
  readonly signal: AbortSignal | undefined;
}

/** Told what became of a read; what comes after the first time counts for nothing. */
export interface Settle {
  /** `undefined` when it is to be carried out on a connection of its own. */
  resolve(rows: readonly SqlRow[] | undefined): void;
  reject(error: unknown): void;
}

/** A read that was sent on a lane and has no answer yet. */
export interface ReadUnderWay {
  readonly read: QuickRead;
  readonly settle: Settle;
  /** Nobody waits for it any more: it is carried out elsewhere, or its caller has gone. */
  isLeft: boolean;
  isTimedOut: boolean;
  isCancelled: boolean;
}
