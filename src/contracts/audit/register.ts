import { canonicalJson } from '#kernel/json/canonical-json';
import { type Checkpoint, type CheckpointKey, isSignedBy } from './checkpoint.ts';
import type { RowPlace } from './rows.ts';
import { readAnchor } from './segment.ts';
import type { Restored } from './verdict.ts';

/**
 * The register of a platform is a chain of its own. Its rows say which logs there are, whose they are, and which of them came from a
 * backup. A row is canonical JSON, hashed as the rows of every chain are.
 */

/** A log begins. */
export interface ChainEntry {
  readonly object: 'chain';
  readonly id: string;
  /** Id of the chain, a UUID. */
  readonly logChain: string;
  readonly kind: 'activity' | 'admin';
  /** Names, as they were then. */
  readonly project: string;
  readonly environment: string | null;
  readonly projectId: number;
  readonly environmentId: number | null;
  readonly genesisHash: string;
  /** The log was there before the register. */
  readonly adopted?: true | undefined;
}

/** A log, or the register itself, came from a backup. */
export interface RestoreEntry extends Restored {
  readonly object: 'restore';
  readonly id: string;
  /** Id of the chain. */
  readonly logChain: string;
  /** Hash of the last row in the backup. */
  readonly hash: string;
  /** Version of vendor-cloud that made the backup. */
  readonly madeBy: string;
  /** What the members above say, as a note that the platform has signed. */
  readonly note: string;
}

/** A log has segments: each of its months that is over is signed before a later row is. */
interface SegmentsEntry {
  readonly object: 'segments';
  readonly id: string;
  /** Id of the chain. */
  readonly logChain: string;
  /** Its first row that is in a segment. */
  readonly from: number;
}

export type RegisterEntry = ChainEntry | RestoreEntry | SegmentsEntry;
export type RegisterRow = RegisterEntry & RowPlace;

export type RestoreStatement = Omit<RestoreEntry, 'object' | 'id' | 'note'>;

export function isSignedRestore(entry: RestoreEntry, keys: readonly CheckpointKey[]): boolean {
  return (
    typeof entry.note === 'string' && entry.note.startsWith(`${restoreText(entry)}\n`) && isSignedBy(entry.note, keys)
  );
}

/** What is signed of a restore. */
export function restoreText({ logChain, size, hash, madeAt, madeBy, at }: RestoreStatement): string {
  return `vendor-cloud.audit.restore/${logChain}\n${canonicalJson({ size, hash, madeAt, madeBy, at })}\n`;
}

/** A clock may have been read some time before its checkpoint was in the store. */
const slackMs = 60_000;

/** Whether a checkpoint is of rows that a restore has lost. */
export function isLost({ size, at }: Checkpoint, restores: readonly RestoreEntry[]): boolean {
  return restores.some((restore) => size > restore.size && at <= restore.at);
}

/** Whether a checkpoint was signed between a backup and its restore, so that the restored store does not have it. */
export function isBehindBackup(checkpoint: Checkpoint, restores: readonly RestoreEntry[]): boolean {
  return restores.some(
    ({ madeAt, at }) => checkpoint.at <= at && Date.parse(checkpoint.at) >= Date.parse(madeAt) - slackMs,
  );
}

/** The checkpoints of rows that no restore has lost. */
export function keptOf(anchors: readonly string[], restores: readonly RestoreEntry[]): readonly string[] {
  return anchors.filter((note) => {
    const checkpoint = readAnchor(note);
    return !checkpoint || !isLost(checkpoint, restores);
  });
}

/** What a verdict says of the restores of a log. */
export function newestRestore(restores: readonly RestoreEntry[]): Restored | undefined {
  const newest = restores.at(-1);
  return newest && { size: newest.size, madeAt: newest.madeAt, at: newest.at };
}
