import type { PlatformEvent } from '#contracts/platform-events';
import type { StoreTransaction } from '../store/store.ts';

/** What an announcement of the topic `events` holds, as JSON. */
export interface AnnouncedEvent {
  readonly environmentId: number;
  readonly event: PlatformEvent;
}

/** So many fit into one announcement. */
const maxRenderings = 500;

/** Tell the agents of an environment, whichever process of the platform they listen to, once the change is committed. */
export function announceEvent(transaction: StoreTransaction, environmentId: number, event: PlatformEvent): void {
  for (const part of partsOf(event)) {
    transaction.announce('events', JSON.stringify({ environmentId, event: part } satisfies AnnouncedEvent));
  }
}

function partsOf(event: PlatformEvent): readonly PlatformEvent[] {
  if (event.name !== 'refresh-renderings' || event.renderingIds === undefined) return [event];
  const parts: PlatformEvent[] = [];
  for (let start = 0; start < event.renderingIds.length; start += maxRenderings) {
    parts.push({ ...event, renderingIds: event.renderingIds.slice(start, start + maxRenderings) });
  }
  return parts;
}
