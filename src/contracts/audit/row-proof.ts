import * as z from 'zod';
import { leafOf } from './chain.ts';
import { type CheckpointKey, isSignedBy } from './checkpoint.ts';
import { rootOfPath } from './merkle-tree.ts';
import type { ActivityEntry, AuditEntry, OutcomeEntry, RecordsEntry, RowPlace } from './rows.ts';
import { readSegment, type Segment } from './segment.ts';
import { BrokenLog, type Problem } from './verdict.ts';

const hash = z.string().regex(/^[0-9a-f]{64}$/);

const provedRowSchema = z.object({
  /** The row without its hashes, as canonical JSON. */
  body: z.string(),
  /** Its place in the segment; 0 for the first row. */
  index: z.int().nonnegative(),
  /** The hashes beside the way from the row to the root, from the row up. */
  path: z.array(hash).max(64),
});

/** An act or a change, and what proves it without the other rows of its log. */
export const rowProofSchema = provedRowSchema.extend({
  object: z.literal('proof'),
  /** The newest format is 1. Another version of vendor-cloud may write a newer one. */
  format: z.literal(1),
  /** The segment, signed. */
  note: z.string(),
  /** The later rows of the same act, in their order: more of its records, and how it ended. Each has the segment above, unless it has a note. */
  further: z.array(provedRowSchema.extend({ note: z.string().optional() })).optional(),
});

export type RowProof = Readonly<z.output<typeof rowProofSchema>>;

type Row = AuditEntry & RowPlace;
type FurtherRow = (OutcomeEntry | RecordsEntry) & RowPlace;

export interface ProofVerdict {
  readonly outcome: 'holds' | 'broken' | 'unverifiable';
  /** The row that is proved; `null` where nothing is. */
  readonly row: Row | null;
  /** The later rows of the act that are proved. */
  readonly further: readonly FurtherRow[];
  readonly segment: Segment | null;
  /** What the act says of itself and no row of the proof shows. Rows of it may be missing in the proof. */
  readonly gaps: readonly string[];
  readonly problem: Problem | null;
  /** What is missing for a proof. */
  readonly missing: readonly string[];
}

/** Whether the rows of an act stood in a log, by signed roots and what leads to them. */
export function verifyRowProof(proof: RowProof, keys: readonly CheckpointKey[]): ProofVerdict {
  try {
    const { row, segment } = provedRow(proof, keys);
    const further: FurtherRow[] = [];
    for (const each of proof.further ?? []) {
      const { row: next } = provedRow({ ...each, note: each.note ?? proof.note }, keys);
      further.push(checkedFurther(next, row, further));
    }
    const missing = keys.length === 0 ? ['No public key of the platform is known from elsewhere.'] : [];
    const outcome = keys.length === 0 ? 'unverifiable' : 'holds';
    return { outcome, row, further, segment, gaps: gapsOf(row, further), problem: null, missing };
  } catch (error) {
    if (!(error instanceof BrokenLog)) throw error;
    const { problem } = error;
    return { outcome: 'broken', row: null, further: [], segment: null, gaps: [], problem, missing: [] };
  }
}

function provedRow(
  { body, index, path, note }: Pick<RowProof, 'body' | 'index' | 'path' | 'note'>,
  keys: readonly CheckpointKey[],
) {
  const segment = readSegment(note);
  if (!segment) throw new BrokenLog('unreadable', 0, 'The note of the segment cannot be read.');
  const { first, size, root, chain, month } = segment;
  const sequence = first + index;
  if (keys.length > 0 && !isSignedBy(note, keys)) {
    throw new BrokenLog('signature', sequence, 'The segment is not signed by a known key.');
  }
  if (rootOfPath(leafOf(body), index, size, path) !== root) {
    throw new BrokenLog('hash', sequence, 'The row is not in the segment: its path does not lead to the signed root.');
  }
  const row = parsed(body, sequence);
  if (row.sequence !== sequence || row.chain !== chain || row.createdAt.slice(0, 7) !== month) {
    throw new BrokenLog('order', sequence, 'The row says another place than the one that is proved.');
  }
  return { row, segment };
}

function parsed(body: string, sequence: number): Row {
  try {
    return JSON.parse(body) as Row;
  } catch {
    throw new BrokenLog('unreadable', sequence, 'The row cannot be read.');
  }
}

/** A later row of the act, each once and in the order of the log. */
function checkedFurther(row: Row, act: Row, before: readonly FurtherRow[]): FurtherRow {
  const last = before.at(-1)?.sequence ?? act.sequence;
  const isOfAct =
    act.object === 'activityLog' &&
    (row.object === 'activityLogRecords' || row.object === 'activityLogOutcome') &&
    row.chain === act.chain &&
    row.actSequence === act.sequence &&
    row.id === act.id;
  // An act ends once, and only one that was open.
  const isSecondEnd =
    isOfAct && row.object === 'activityLogOutcome' && (act.status !== 'pending' || before.some(isEnd));
  if (isOfAct && !isSecondEnd && row.sequence > last) return row;
  throw new BrokenLog('order', row.sequence, `Row ${row.sequence} is not a later row of the act that is proved.`);
}

function isEnd({ object }: FurtherRow): boolean {
  return object === 'activityLogOutcome';
}

/** An act says how many records it is about, and that its end is not known yet. */
function gapsOf(act: Row, further: readonly FurtherRow[]): readonly string[] {
  if (act.object !== 'activityLog') return [];
  const isOpen = act.status === 'pending' && !further.some(isEnd);
  const named = recordsOf(act, further);
  const isShort = act.recordCount !== null && named < act.recordCount;
  return [
    ...(isOpen ? ['How it ended is not in the proof.'] : []),
    ...(isShort ? [`It is about ${act.recordCount} records, and the proof names ${named} of them.`] : []),
  ];
}

/** How many records the rows of an act name. */
export function recordsOf(act: ActivityEntry, further: readonly FurtherRow[]): number {
  const more = further.flatMap((row) => (row.object === 'activityLogRecords' ? row.recordIds : []));
  return new Set([...act.recordIds, ...more]).size;
}
