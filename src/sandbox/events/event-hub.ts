import type { PlatformEvent } from '#contracts/platform-events';
import type { Store } from '../store/store.ts';
import type { AnnouncedEvent } from './announce-event.ts';

/** An agent that listens. */
export interface EventSubscriber {
  send(event: PlatformEvent): void;
  /** Events may have been missed. An agent that comes again asks for everything again. */
  end(): void;
}

/** Passes on what changes in an environment to the agents that listen. `announceEvent` tells it, in any process of the platform. */
export interface EventHub {
  /** @returns ends the subscription. */
  subscribe(environmentId: number, subscriber: EventSubscriber): () => void;
}

export function createEventHub(store: Store): EventHub {
  const subscribers = new Map<number, Set<EventSubscriber>>();
  store.listen(
    'events',
    (payload) => {
      const { environmentId, event } = JSON.parse(payload) as AnnouncedEvent;
      for (const subscriber of subscribers.get(environmentId) ?? []) subscriber.send(event);
    },
    () => {
      // Ending one takes it out of the sets.
      const all = [...subscribers.values()].flatMap((listening) => [...listening]);
      for (const subscriber of all) subscriber.end();
    },
  );
  return {
    subscribe(environmentId, subscriber) {
      const listening = subscribers.get(environmentId) ?? new Set();
      subscribers.set(environmentId, listening.add(subscriber));
      return () => {
        listening.delete(subscriber);
        if (listening.size === 0) subscribers.delete(environmentId);
      };
    },
  };
}
