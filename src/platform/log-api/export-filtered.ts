import type { Genesis } from '#contracts/audit/chain';
import { exportFormat } from '#contracts/audit/export-lines';
import { type ActivityEntry, type AdminEntry, addedRecords, type RecordsEntry } from '#contracts/audit/rows';
import { verifierOf } from '#contracts/audit/signing';
import type { ChainRecord } from '../audit/audit-chains.ts';
import { type ExportInput, placeBehind } from '../audit/export-chain.ts';
import type { LogFilter } from '../audit/log-filter.ts';
import { type LogRow, readLog } from '../audit/read-log.ts';
import type { Store } from '../store/store.ts';
import type { ExportForm } from './export-forms.ts';

interface FilteredInput extends ExportInput {
  readonly filter: LogFilter;
  /** The filters in a canonical form. */
  readonly filters: string;
  readonly form: ExportForm;
}

const rowsPerSlice = 1_000;
const walkedPerSlice = 50_000;

/** The acts or changes that fulfil a filter, in another form than that of the chain: they say how each ended. */
export async function* exportFiltered(db: Store['db'], input: FilteredInput): AsyncGenerator<string> {
  const { chain, after, maxRows, signer, cursorAt, isOver, filter, filters, form } = input;
  yield form.start({
    object: 'start',
    format: exportFormat,
    genesis: JSON.parse(chain.genesis) as Genesis,
    place: await placeBehind(db, chain, after),
    filters: [...Object.keys(JSON.parse(filters) as object), ...(form.isWhole ? [] : ['format'])],
    keys: signer ? [verifierOf(signer.key).verifier] : [],
  });
  let place = after;
  let count = 0;
  let hasMore = true;
  while (hasMore && count < maxRows) {
    const page = await readLog(db, chain, filter, {
      limit: Math.min(rowsPerSlice, maxRows - count),
      order: 'asc',
      after: place,
      maxWalked: walkedPerSlice,
    });
    count += page.rows.length;
    hasMore = page.hasMore;
    // What was looked at in vain is not looked at again.
    place = page.last ?? place;
    const rows = await withAllRecords(db, chain, page.rows);
    const texts = rows.map((row) => form.row(row, chain, cursorAt(row.entry.sequence)));
    yield texts.join('') + form.place({ object: 'checkpoint', cursor: cursorAt(place), sequence: place });
    if ((await isOver?.(count)) === true) break;
  }
  yield form.end({
    object: 'end',
    cursor: cursorAt(place),
    count,
    hasMore,
    headSequence: chain.headSequence,
    headHash: chain.headHash,
    signedCheckpoint: null,
  });
}

/** The acts with the ids of those records that later rows hold. */
async function withAllRecords(
  db: Store['db'],
  { id: chainId, firstSequence }: ChainRecord,
  rows: readonly LogRow[],
): Promise<readonly LogRow[]> {
  const incomplete = rows.filter(({ entry }) => isIncomplete(entry)).map(({ entry }) => entry.id);
  if (incomplete.length === 0) return rows;
  const further = await db
    .selectFrom('auditRows')
    .select(['id', 'body'])
    .where('chainId', '=', chainId)
    .where('id', 'in', incomplete)
    .where('kind', '=', 'records')
    .where('sequence', '>=', firstSequence)
    .orderBy('sequence')
    .execute();
  const byId = Map.groupBy(further, ({ id }) => id);
  return rows.map((row) => {
    const added = (byId.get(row.entry.id) ?? []).flatMap(({ body }) => addedRecords(JSON.parse(body) as RecordsEntry));
    const entry = row.entry as ActivityEntry & LogRow['entry'];
    return added.length === 0 ? row : { ...row, entry: { ...entry, recordIds: [...entry.recordIds, ...added] } };
  });
}

/** An act that was pending at first, or had too many records for one row. */
function isIncomplete(entry: ActivityEntry | AdminEntry): boolean {
  if (entry.object !== 'activityLog') return false;
  return entry.status === 'pending' || (entry.recordCount ?? 0) > entry.recordIds.length;
}
