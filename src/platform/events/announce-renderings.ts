import type { StoreTransaction } from '../store/store.ts';
import { announceEvent } from './announce-event.ts';

/** Tell the agents of an environment that all of its renderings have changed. */
export async function announceRenderings(transaction: StoreTransaction, environmentId: number): Promise<void> {
  const renderings = await transaction.db
    .selectFrom('renderings')
    .select('id')
    .where('environmentId', '=', environmentId)
    .orderBy('id')
    .execute();
  announceEvent(transaction, environmentId, {
    name: 'refresh-renderings',
    renderingIds: renderings.map(({ id }) => id),
  });
}
