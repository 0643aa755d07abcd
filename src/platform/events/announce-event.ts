import type { PlatformEvent } from '#contracts/platform-events';
import type { StoreTransaction } from '../store/store.ts';

/** What an announcement of the topic `events` holds, as JSON. */
export interface AnnouncedEvent {
  readonly environmentId: number;
  readonly sequence: number;
  readonly event: PlatformEvent;
}

/** This many fit into one announcement. */
const maxRenderings = 500;
/** Events that an environment keeps for agents that come back. */
export const keptEvents = 1_000;

/**
 * Tell the agents of an environment, whichever process of the platform they listen to, once the change is committed. The event
 * gets the next number of the environment in the transaction of the change. An agent that was away learns about it when it comes back.
 */
export function announceEvent(transaction: StoreTransaction, environmentId: number, event: PlatformEvent): void {
  transaction.beforeCommit(async () => {
    for (const part of partsOf(event)) await append(transaction, environmentId, part);
  });
}

/** The counter is locked until the commit, so that events are committed in the order of their numbers. */
async function append(transaction: StoreTransaction, environmentId: number, event: PlatformEvent): Promise<void> {
  const { db } = transaction;
  const { newest: sequence } = await db
    .insertInto('eventCounters')
    .values({ environmentId, newest: 1 })
    .onConflict((same) =>
      same.column('environmentId').doUpdateSet((the) => ({ newest: the('eventCounters.newest', '+', 1) })),
    )
    .returning('newest')
    .executeTakeFirstOrThrow();
  await db
    .insertInto('events')
    .values({ environmentId, sequence, event: JSON.stringify(event) })
    .execute();
  await db
    .deleteFrom('events')
    .where('environmentId', '=', environmentId)
    .where('sequence', '<=', sequence - keptEvents)
    .execute();
  transaction.announce('events', JSON.stringify({ environmentId, sequence, event } satisfies AnnouncedEvent));
}

function partsOf(event: PlatformEvent): readonly PlatformEvent[] {
  if (event.name !== 'refresh-renderings' || event.renderingIds === undefined) return [event];
  const parts: PlatformEvent[] = [];
  for (let start = 0; start < event.renderingIds.length; start += maxRenderings) {
    parts.push({ ...event, renderingIds: event.renderingIds.slice(start, start + maxRenderings) });
  }
  return parts;
}

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
