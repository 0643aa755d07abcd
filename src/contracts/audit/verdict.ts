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
  /** A row is written by older rules than the one before it. */
  | 'format'
  /** A personal value was changed, is missing although no erasure says so, or is there although one does. */
  | 'disclosure'
  /** A column or an entry that rows are found by differs from the row. */
  | 'column'
  /** A log is missing, was replaced, or belongs to somebody else than the register of the platform says. */
  | 'register'
  /** The signed root of a month, or a node of its tree, is missing or not that of its rows. */
  | 'segment';

export interface Problem {
  readonly kind: ProblemKind;
  /** The first row that it is about. */
  readonly sequence: number;
  readonly message: string;
}

export interface Verdict {
  /**
   * `broken`: the log was changed. `unverifiable`: what would prove it is missing. `restored`: it holds, and a signed row says that it
   * came from a backup; what was written between the backup and the restore is lost.
   */
  readonly outcome: 'holds' | 'restored' | 'broken' | 'unverifiable';
  /** Id of the chain. */
  readonly chain: string | null;
  /** Id of the register that proves which log it is; absent where nothing shows one. */
  readonly register?: string | undefined;
  readonly rows: number;
  readonly first: number | null;
  readonly last: number | null;
  readonly problem: Problem | null;
  /** What is missing for a proof. */
  readonly missing: readonly string[];
  /** The newest checkpoint that a known key has signed: worth to be kept elsewhere. */
  readonly checkpoint: string | null;
  /** The newest restore of the log; absent for a log that was never restored. */
  readonly restored?: Restored | undefined;
  /** When the clock of the platform went back, as the log of a project says; absent where it never did. */
  readonly clockJumps?: readonly ClockJump[] | undefined;
  /** What was erased of people, as the log says; absent where nothing was. */
  readonly erasures?: readonly Erased[] | undefined;
  /** The rows up to `to` were verified by an earlier run, at a time, and not looked at again; absent where all were. */
  readonly earlier?: { readonly to: number; readonly at: string } | undefined;
}

/** Values of people that were deleted from rows: one erasure may be in several rows. */
export interface Erased {
  /** Who did it, as the operator says; `null` in rows of platforms that did not ask. */
  readonly by: string | null;
  readonly reference: string | null;
  /** When the first and the last row said so, ISO 8601. */
  readonly from: string;
  readonly to: string;
  /** How many rows have lost values. */
  readonly rows: number;
}

/** The clock of the platform went back, so that rows of a log have later times than they should. */
export interface ClockJump {
  /** Id of that log. */
  readonly log: string;
  /** What the clock said before and after, ISO 8601. */
  readonly from: string;
  readonly to: string;
}

/** What a restore left of a log. */
export interface Restored {
  /** The last row of the backup. */
  readonly size: number;
  /** When the backup was made, ISO 8601. */
  readonly madeAt: string;
  /** When it was restored, ISO 8601. Rows that were written in between are lost. */
  readonly at: string;
}

/** What a check has seen of a log. */
interface Checked {
  readonly chain: string;
  readonly rows: number;
  readonly first: number | null;
  readonly last: number;
  /** The newest checkpoint that fits and is signed by a known key. */
  readonly signed: { readonly note: string } | undefined;
  readonly clockJumps: readonly ClockJump[];
  readonly erasures: readonly Erased[];
}

/** The verdict after a check, which may have ended at a problem. `undefined` for a log whose rows could not be looked at. */
export function verdictOf(
  check: Checked | undefined,
  { problem, missing, restored }: Pick<Verdict, 'problem' | 'missing' | 'restored'>,
): Verdict {
  const proven = restored ? 'restored' : 'holds';
  return {
    outcome: problem ? 'broken' : missing.length > 0 ? 'unverifiable' : proven,
    chain: check?.chain ?? null,
    rows: check?.rows ?? 0,
    first: check?.first ?? null,
    last: check && check.rows > 0 ? check.last : null,
    problem,
    missing,
    checkpoint: check?.signed?.note ?? null,
    ...(restored ? { restored } : {}),
    ...(check && check.clockJumps.length > 0 ? { clockJumps: check.clockJumps } : {}),
    ...(check && check.erasures.length > 0 ? { erasures: check.erasures } : {}),
  };
}

/** Of a log that has no rows yet. */
export const emptyLog: Verdict = {
  outcome: 'holds',
  chain: null,
  rows: 0,
  first: null,
  last: null,
  problem: null,
  missing: [],
  checkpoint: null,
};

/** Ends the work at the first problem. */
export class BrokenLog extends Error {
  readonly problem: Problem;

  constructor(kind: ProblemKind, sequence: number, message: string) {
    super(message);
    this.problem = { kind, sequence, message };
  }
}
