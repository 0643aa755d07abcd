import { setImmediate } from 'node:timers/promises';
import { leafOf } from '#contracts/audit/chain';
import { inclusionRanges, rootOfPath } from '#contracts/audit/merkle-tree';
import type { RowProof } from '#contracts/audit/row-proof';
import { monthName, readSegment, type Segment } from '#contracts/audit/segment';
import type { ChainRecord } from './audit-chains.ts';
import { brokenLog, SegmentTree } from './segment-tree.ts';
import { noteOfMonth, placeOf, type SegmentParts } from './segments.ts';

/**
 * What proves an act with all its rows, or a change; `undefined` where there is none. A row costs at most a few tiles of the tree. The month
 * that goes on is signed as far as it is, and its nodes are made as it grows.
 */
export async function proveAct(parts: SegmentParts, chain: ChainRecord, id: string): Promise<RowProof | undefined> {
  const rows = await parts.store.db
    .selectFrom('auditRows')
    .select(['sequence', 'kind', 'month', 'body'])
    .where('chainId', '=', chain.id)
    .where('id', '=', id)
    .where('sequence', '>=', chain.firstSequence)
    .where('sequence', '<=', chain.headSequence)
    .orderBy('sequence')
    .execute();
  const [act, ...others] = rows;
  if (!act || !['act', 'admin', 'further'].includes(act.kind)) return undefined;
  const segments = new Map<number, ProvingSegment>();
  const proofOf = async ({ sequence, month, body }: typeof act) => {
    const segment = segments.get(month) ?? (await provingSegment(parts, chain, month));
    segments.set(month, segment);
    return { note: segment.note, ...(await pathIn(segment, sequence, body)) };
  };
  const { note, ...proof } = await proofOf(act);
  const further: Required<RowProof>['further'] = [];
  for (const row of others) {
    const { note: own, ...proved } = await proofOf(row);
    further.push(own === note ? proved : { ...proved, note: own });
    // An act may have very many rows, and the paths are work of the thread that serves.
    await setImmediate();
  }
  return { object: 'proof', format: 1, ...proof, note, ...(further.length > 0 ? { further } : {}) };
}

interface ProvingSegment {
  readonly note: string;
  readonly segment: Segment;
  readonly tree: SegmentTree;
}

async function provingSegment(parts: SegmentParts, chain: ChainRecord, number: number): Promise<ProvingSegment> {
  const month = monthName(number);
  const note = await noteOfMonth(parts, chain, month);
  const segment = note === undefined ? undefined : readSegment(note);
  if (note === undefined || !segment) throw brokenLog(`The rows of ${month} are in no segment.`);
  return { note, segment, tree: new SegmentTree(parts.store.db, placeOf(chain, month, segment.first)) };
}

async function pathIn({ segment, tree }: ProvingSegment, sequence: number, body: string) {
  const { first, size, root } = segment;
  const index = sequence - first;
  const path: string[] = [];
  for (const range of inclusionRanges(index, [0, size])) path.push(await tree.rootOf(range));
  // A proof that does not hold would look like a log that was changed.
  if (rootOfPath(leafOf(body), index, size, path) !== root) {
    throw brokenLog(`Row ${sequence} does not fit to its segment.`);
  }
  return { body, index, path };
}
