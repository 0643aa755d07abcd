export type ProblemKind =
  /** A line is not what an export holds. */
  | 'unreadable'
  /** Rows are missing. */
  | 'gap'
  /** A row comes twice, too late or from another chain. */
  | 'order'
  /** A row was changed. */
  | 'hash'
  /** A row is older than the one before it. */
  | 'time'
  /** The beginning of the chain was changed. */
  | 'genesis'
  /** A checkpoint or tombstone is not signed by a known key. */
  | 'signature'
  /** A row is not the one that was signed. */
  | 'checkpoint'
  /** Rows were removed, and no tombstone says so. */
  | 'removed'
  /** The end of the log is missing. */
  | 'truncated'
  /** A column that rows are found by differs from the row. */
  | 'column';

export interface Problem {
  readonly kind: ProblemKind;
  /** The first row that it is about. */
  readonly sequence: number;
  readonly message: string;
}

export interface Verdict {
  /** `broken`: the log was changed. `unverifiable`: what would prove it is missing. */
  readonly outcome: 'holds' | 'broken' | 'unverifiable';
  /** Id of the chain. */
  readonly chain: string | null;
  readonly rows: number;
  readonly first: number | null;
  readonly last: number | null;
  readonly problem: Problem | null;
  /** What is missing for a proof. */
  readonly missing: readonly string[];
  /** The newest checkpoint that a known key has signed: worth to be kept elsewhere. */
  readonly checkpoint: string | null;
}

/** Ends the work at the first problem. */
export class BrokenLog extends Error {
  readonly problem: Problem;

  constructor(kind: ProblemKind, sequence: number, message: string) {
    super(message);
    this.problem = { kind, sequence, message };
  }
}
