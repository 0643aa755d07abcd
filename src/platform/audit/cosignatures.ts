import { isSignedBy, readCheckpoint } from '#contracts/audit/checkpoint';
import { cosignedAt } from '#contracts/audit/cosignature';
import { monthNumber, readSegment, type Segment } from '#contracts/audit/segment';
import { verifierOf } from '#contracts/audit/signing';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { StoreTransaction } from '../store/store.ts';
import type { ChainRecord } from './audit-chains.ts';
import { registerHead } from './register.ts';
import type { SegmentParts } from './segments.ts';

/** A log has the cosignatures of this many machines, and the register those of as many of each project. */
const mostCosigners = 8;

/** The project that a machine signs for. */
interface CosigningProject {
  readonly projectId: number;
  /** A log of the project, by its id. */
  readonly findChain: (chain: string) => Promise<ChainRecord | undefined>;
}

interface Cosigned {
  /** As the platform has signed it, with the signature of the machine. */
  readonly note: string;
  readonly cosigner: string;
}

interface KeptNote {
  readonly chain: string;
  /** `null` for the register. */
  readonly month: string | null;
  readonly size: number;
}

/**
 * Keep what another machine has signed of a segment or of the register, beside what the platform has signed: the newest of each machine. What
 * does not fit to the store is refused, such as what was signed before a restore: verification would take it for a sign of an attack.
 */
export async function keepCosignature(
  parts: SegmentParts,
  project: CosigningProject,
  cosigned: Cosigned,
): Promise<KeptNote> {
  const { note, cosigner } = cosigned;
  const segment = readSegment(note);
  const checkpoint = readCheckpoint(note);
  if (!(segment ?? checkpoint) || !isSignedBy(note, [verifierOf(parts.key)])) {
    throw refused('The platform has not signed this segment or register.');
  }
  const at = cosignedAt(note, cosigner);
  if (at === undefined) throw refused('The key has not signed the note.');
  const signed = { ...cosigned, at };
  if (checkpoint) {
    await keepOfRegister(parts, project.projectId, checkpoint, signed);
    return { chain: checkpoint.chain, month: null, size: checkpoint.size };
  }
  if (!segment) throw refused('The note is not of a segment.');
  const chain = await project.findChain(segment.chain);
  if (!chain) throw refused('The project has no such log.');
  await keepOfSegment(parts, chain, segment, signed);
  return segment;
}

interface Signed extends Cosigned {
  readonly at: number;
}

async function keepOfSegment(
  { store }: SegmentParts,
  chain: ChainRecord,
  segment: Segment,
  { note, cosigner, at }: Signed,
): Promise<void> {
  const month = monthNumber(segment.month);
  await store.transaction(async ({ db, lock }) => {
    await lock(`cosignatures of log ${chain.id}`);
    await requireSameLog(db, chain, segment);
    const kept = await db
      .selectFrom('auditCosignatures')
      .select(['month', 'cosigner', 'note'])
      .where('chainId', '=', chain.id)
      .execute();
    requireRoom(kept, cosigner);
    const before = kept.find((row) => row.cosigner === cosigner && row.month === month)?.note;
    const sizeBefore = before === undefined ? 0 : (readSegment(before)?.size ?? 0);
    if (before !== undefined && isNewer({ before, sizeBefore }, segment, at, cosigner)) return;
    await db
      .insertInto('auditCosignatures')
      .values({ chainId: chain.id, month, cosigner, note })
      .onConflict((same) => same.columns(['chainId', 'month', 'cosigner']).doUpdateSet({ note }))
      .execute();
  });
}

async function keepOfRegister(
  { store }: SegmentParts,
  projectId: number,
  checkpoint: { readonly chain: string; readonly size: number; readonly hash: string },
  { note, cosigner, at }: Signed,
): Promise<void> {
  await store.transaction(async ({ db, lock }) => {
    await lock('cosignatures of the register');
    const head = await registerHead(db);
    const row = await db
      .selectFrom('auditRegister')
      .select('hash')
      .where('sequence', '=', checkpoint.size)
      .executeTakeFirst();
    if (head?.chain !== checkpoint.chain || row?.hash !== checkpoint.hash) {
      throw refused('The register is not the one that was signed.');
    }
    const kept = await db
      .selectFrom('auditRegisterCosignatures')
      .select(['cosigner', 'note'])
      .where('projectId', '=', projectId)
      .execute();
    requireRoom(kept, cosigner);
    const before = kept.find((each) => each.cosigner === cosigner)?.note;
    const sizeBefore = before === undefined ? 0 : (readCheckpoint(before)?.size ?? 0);
    if (before !== undefined && isNewer({ before, sizeBefore }, checkpoint, at, cosigner)) return;
    await db
      .insertInto('auditRegisterCosignatures')
      .values({ projectId, cosigner, note })
      .onConflict((same) => same.columns(['projectId', 'cosigner']).doUpdateSet({ note }))
      .execute();
  });
}

/** The rows up to the end of the segment are those that were signed. Of rows that were removed, the signed segment says that. */
async function requireSameLog(
  db: StoreTransaction['db'],
  chain: ChainRecord,
  { month, last, end, size, root }: Segment,
): Promise<void> {
  const row = await db
    .selectFrom('auditRows')
    .select('hash')
    .where('chainId', '=', chain.id)
    .where('sequence', '=', last)
    .executeTakeFirst();
  if (last >= chain.firstSequence && last <= chain.headSequence && row?.hash === end) return;
  const kept = await db
    .selectFrom('auditSegments')
    .select('note')
    .where('chainId', '=', chain.id)
    .where('month', '=', monthNumber(month))
    .executeTakeFirst();
  const whole = kept && readSegment(kept.note);
  if (last < chain.firstSequence && whole?.size === size && whole.root === root) return;
  throw refused('The log is not the one that was signed.');
}

function requireRoom(kept: readonly { readonly cosigner: string }[], cosigner: string): void {
  const known = new Set(kept.map((row) => row.cosigner)).add(cosigner);
  if (known.size > mostCosigners) throw refused(`There are the cosignatures of ${mostCosigners} machines at most.`);
}

function isNewer(
  { before, sizeBefore }: { readonly before: string; readonly sizeBefore: number },
  { size }: { readonly size: number },
  at: number,
  cosigner: string,
): boolean {
  return sizeBefore > size || (cosignedAt(before, cosigner) ?? 0) > at;
}

function refused(why: string): CloudError {
  return cloudError(
    'REQUEST_INVALID',
    why,
    'Send the note as the platform gave it, with one line more, and the public key of the machine.',
  );
}
