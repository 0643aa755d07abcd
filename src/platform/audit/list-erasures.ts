import { sql } from 'kysely';
import type { ErasureEntry } from '#contracts/audit/erasure';
import { erasedRows } from '#contracts/audit/erasure';
import type { RowPlace, TombstoneEntry } from '#contracts/audit/rows';
import type { Erasure } from '#contracts/public-api/erasures';
import type { Store } from '../store/store.ts';
import type { ChainRecord } from './audit-chains.ts';
import type { LogPage } from './read-log.ts';

type RemovalRow = (ErasureEntry | TombstoneEntry) & RowPlace;

/** The erasures of a log. They are among the few rows that say what was removed. */
export async function listErasures(
  db: Store['db'],
  { id, firstSequence, headSequence }: ChainRecord,
  { limit, order, after }: Pick<LogPage, 'limit' | 'order' | 'after'>,
): Promise<{ readonly rows: readonly Erasure[]; readonly hasMore: boolean; readonly last: number | undefined }> {
  const [from, to] =
    order === 'asc'
      ? [Math.max(firstSequence, (after ?? 0) + 1), headSequence]
      : [firstSequence, Math.min(headSequence, (after ?? headSequence + 1) - 1)];
  const found = await db
    .selectFrom('auditRows')
    .select(['body', 'hash'])
    .where('chainId', '=', id)
    // As the index says it: it has these rows only.
    .where('kind', '=', sql.lit('tombstone' as const))
    .where('body', 'like', '%"object":"erasure"%')
    .where('sequence', '>=', from)
    .where('sequence', '<=', to)
    .orderBy('sequence', order)
    .limit(limit + 1)
    .execute();
  const rows = found.slice(0, limit).flatMap(({ body, hash }) => {
    const entry = JSON.parse(body) as RemovalRow;
    return entry.object === 'erasure' ? [erasureOf(entry, hash)] : [];
  });
  return { rows, hasMore: found.length > limit, last: rows.at(-1)?.sequence };
}

function erasureOf(entry: ErasureEntry & RowPlace, hash: string): Erasure {
  const { object, id, createdAt, by = null, reference = null, erased, sequence } = entry;
  return { object, id, createdAt, by, reference, rows: erasedRows(entry), erased: { ...erased }, sequence, hash };
}
