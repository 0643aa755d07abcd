import type { RecordsEntry } from '#contracts/audit/rows';
import type { Store } from '../store/store.ts';
import type { ChainRecord } from './audit-chains.ts';
import { type LogRow, withOutcomes } from './read-log.ts';

export interface WholeRow {
  readonly row: LogRow;
  /** All of them, also those that later rows hold. */
  readonly recordIds: readonly string[];
}

/** An act or a change by its id. */
export async function readRow(db: Store['db'], chain: ChainRecord, id: string): Promise<WholeRow | undefined> {
  const rows = await db
    .selectFrom('auditRows')
    .select(['sequence', 'kind', 'body', 'hash', 'status'])
    .where('chainId', '=', chain.id)
    .where('id', '=', id)
    .where('sequence', '>=', chain.firstSequence)
    .orderBy('sequence')
    .execute();
  const [row] = await withOutcomes(
    db,
    chain,
    rows.filter(({ kind }) => kind === 'act' || kind === 'admin' || kind === 'further'),
  );
  if (!row) return undefined;
  const own = 'recordIds' in row.entry ? row.entry.recordIds : [];
  const further = rows
    .filter(({ kind }) => kind === 'records')
    .flatMap(({ body }) => (JSON.parse(body) as RecordsEntry).recordIds);
  return { row, recordIds: [...own, ...further] };
}
