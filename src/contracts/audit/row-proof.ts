import * as z from 'zod';
import { leafOf } from './chain.ts';
import { type CheckpointKey, isSignedBy } from './checkpoint.ts';
import { rootOfPath } from './merkle-tree.ts';
import type { AuditEntry, RowPlace } from './rows.ts';
import { readSegment, type Segment } from './segment.ts';
import { BrokenLog, type Problem } from './verdict.ts';

const hash = z.string().regex(/^[0-9a-f]{64}$/);

/** One row of a log, and what proves it without the others. */
export const rowProofSchema = z.object({
  object: z.literal('proof'),
  /** The newest format is 1. Another version of vendor-cloud may write a newer one. */
  format: z.literal(1),
  /** The row without its hashes, as canonical JSON. */
  body: z.string(),
  /** Its place in the segment; 0 for the first row. */
  index: z.int().nonnegative(),
  /** The hashes beside the way from the row to the root, from the row up. */
  path: z.array(hash).max(64),
  /** The segment, signed. */
  note: z.string(),
});

export type RowProof = Readonly<z.output<typeof rowProofSchema>>;

export interface ProofVerdict {
  readonly outcome: 'holds' | 'broken' | 'unverifiable';
  /** The row that is proved; `null` where nothing is. */
  readonly row: (AuditEntry & RowPlace) | null;
  readonly segment: Segment | null;
  readonly problem: Problem | null;
  /** What is missing for a proof. */
  readonly missing: readonly string[];
}

/** Whether a row stood in a log, by a signed root and what leads to it. */
export function verifyRowProof(proof: RowProof, keys: readonly CheckpointKey[]): ProofVerdict {
  try {
    const { row, segment } = provedRow(proof, keys);
    const missing = keys.length === 0 ? ['No public key of the platform is known from elsewhere.'] : [];
    return { outcome: keys.length === 0 ? 'unverifiable' : 'holds', row, segment, problem: null, missing };
  } catch (error) {
    if (!(error instanceof BrokenLog)) throw error;
    return { outcome: 'broken', row: null, segment: null, problem: error.problem, missing: [] };
  }
}

function provedRow({ body, index, path, note }: RowProof, keys: readonly CheckpointKey[]) {
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

function parsed(body: string, sequence: number): AuditEntry & RowPlace {
  try {
    return JSON.parse(body) as AuditEntry & RowPlace;
  } catch {
    throw new BrokenLog('unreadable', sequence, 'The row cannot be read.');
  }
}
