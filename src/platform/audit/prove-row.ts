import { leafOf } from '#contracts/audit/chain';
import { inclusionRanges, rootOfPath } from '#contracts/audit/merkle-tree';
import type { RowProof } from '#contracts/audit/row-proof';
import { monthName, readSegment } from '#contracts/audit/segment';
import type { ChainRecord } from './audit-chains.ts';
import { brokenLog, SegmentTree } from './segment-tree.ts';
import { noteOfMonth, placeOf, type SegmentParts } from './segments.ts';

/**
 * What proves the row of an act or a change; `undefined` where there is none. It costs at most a few tiles of the tree: the month that goes
 * on is signed as far as it is, and its nodes are made as it grows.
 */
export async function proveRow(parts: SegmentParts, chain: ChainRecord, id: string): Promise<RowProof | undefined> {
  const { db } = parts.store;
  const row = await db
    .selectFrom('auditRows')
    .select(['sequence', 'month', 'body'])
    .where('chainId', '=', chain.id)
    .where('id', '=', id)
    .where('kind', 'in', ['act', 'admin', 'further'])
    .where('sequence', '>=', chain.firstSequence)
    .where('sequence', '<=', chain.headSequence)
    .executeTakeFirst();
  if (!row) return undefined;
  const month = monthName(row.month);
  const note = await noteOfMonth(parts, chain, month);
  const segment = note === undefined ? undefined : readSegment(note);
  if (note === undefined || !segment) throw brokenLog(`Row ${row.sequence} is in no segment.`);
  const { first, size, root } = segment;
  const index = row.sequence - first;
  const tree = new SegmentTree(db, placeOf(chain, month, first));
  const path: string[] = [];
  for (const range of inclusionRanges(index, [0, size])) path.push(await tree.rootOf(range));
  // A proof that does not hold would look like a log that was changed.
  if (rootOfPath(leafOf(row.body), index, size, path) !== root) {
    throw brokenLog(`Row ${row.sequence} does not fit to its segment.`);
  }
  return { object: 'proof', format: 1, body: row.body, index, path, note };
}
