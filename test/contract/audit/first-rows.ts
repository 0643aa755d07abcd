import { rowHashOf } from '#contracts/audit/chain';
import type { ActivityEntry, AdminEntry } from '#contracts/audit/rows';
import { canonicalJson } from '#kernel/json/canonical-json';
import type { Clock } from '#kernel/ports/clock';
import { systemRandom } from '#node/system/system-random';
import { type ChainOwner, lockChain } from '#platform/audit/audit-chains';
import { columnsOf } from '#platform/audit/chain-row';
import type { Store } from '#platform/store/store';

/** Add rows to a log as version 0.1.0 wrote them: of version 1, whose personal values are hashed. */
export function appendFirstRows(
  store: Store,
  owner: ChainOwner,
  entries: readonly (ActivityEntry | AdminEntry)[],
  clock: Pick<Clock, 'now'>,
): Promise<void> {
  return store.transaction(async (transaction) => {
    const { db } = transaction;
    const chain = await lockChain(transaction, owner, systemRandom, clock.now());
    const rowHash = rowHashOf(chain.chain, 1);
    let { headSequence: sequence, headHash: hash, headCreatedAt: createdAt, headMonth: month } = chain;
    for (const entry of entries) {
      sequence++;
      createdAt = Math.max(clock.now(), createdAt + 1);
      const date = new Date(createdAt);
      month = date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
      const place = { chain: chain.chain, sequence, createdAt: date.toISOString(), recordedAt: date.toISOString() };
      const body = canonicalJson({ ...entry, ...place, version: 1 });
      hash = rowHash(sequence, hash, body);
      await db
        .insertInto('auditMonths')
        .values({ month })
        .onConflict((same) => same.doNothing())
        .execute();
      const row = {
        ...columnsOf(entry),
        chainId: chain.id,
        sequence,
        month,
        createdAt,
        body,
        disclosed: null,
        hash,
        version: 1 as const,
      };
      await db.insertInto('auditRows').values(row).execute();
      for (const recordId of 'recordIds' in entry ? entry.recordIds : []) {
        const collection = ('collection' in entry && entry.collection?.name) || '';
        await db.insertInto('auditRecords').values({ chainId: chain.id, recordId, sequence, collection }).execute();
      }
    }
    await db
      .updateTable('auditChains')
      .set({ headSequence: sequence, headHash: hash, headCreatedAt: createdAt, headMonth: month })
      .where('id', '=', chain.id)
      .execute();
  });
}
