import { isSignedBy, verifierOf } from '#contracts/audit/checkpoint';
import { cosignedAt } from '#contracts/audit/cosignature';
import { monthNumber, readSegment, type Segment } from '#contracts/audit/segment';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { ChainRecord } from './audit-chains.ts';
import type { SegmentParts } from './segments.ts';

/** A log has the cosignatures of this many machines. */
const cosignersPerLog = 8;

/**
 * Keep what another machine has signed of a segment, beside what the platform has signed: the newest of each machine and month.
 *
 * @param findChain A log that the caller may speak of, by its id.
 */
export async function keepCosignature(
  { store, key }: SegmentParts,
  findChain: (chain: string) => Promise<ChainRecord | undefined>,
  { note, cosigner }: { readonly note: string; readonly cosigner: string },
): Promise<Segment> {
  const segment = readSegment(note);
  if (!segment || !isSignedBy(note, [verifierOf(key)])) throw refused('The platform has not signed this segment.');
  const at = cosignedAt(note, cosigner);
  if (at === undefined) throw refused('The key has not signed the segment.');
  const chain = await findChain(segment.chain);
  if (!chain) throw refused('The project has no such log.');
  const month = monthNumber(segment.month);
  await store.transaction(async ({ db, lock }) => {
    await lock(`cosignatures of log ${chain.id}`);
    const kept = await db
      .selectFrom('auditCosignatures')
      .select(['month', 'cosigner', 'note'])
      .where('chainId', '=', chain.id)
      .execute();
    const known = new Set(kept.map((row) => row.cosigner)).add(cosigner);
    if (known.size > cosignersPerLog)
      throw refused(`A log has the cosignatures of ${cosignersPerLog} machines at most.`);
    const before = kept.find((row) => row.cosigner === cosigner && row.month === month);
    if (before && isNewer(before.note, segment, at, cosigner)) return;
    await db
      .insertInto('auditCosignatures')
      .values({ chainId: chain.id, month, cosigner, note })
      .onConflict((same) => same.columns(['chainId', 'month', 'cosigner']).doUpdateSet({ note }))
      .execute();
  });
  return segment;
}

function isNewer(note: string, { size }: Segment, at: number, cosigner: string): boolean {
  return (readSegment(note)?.size ?? 0) > size || (cosignedAt(note, cosigner) ?? 0) > at;
}

function refused(why: string): CloudError {
  return cloudError(
    'REQUEST_INVALID',
    why,
    'Send the note as the platform gave it, with one line more, and the public key of the machine.',
  );
}
