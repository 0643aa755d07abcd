import type { PlatformEvent } from '#contracts/platform-events';

type Send = (event: PlatformEvent) => void;

/** Passes on what changes in an environment to the agents that listen. */
export interface EventHub {
  /** @returns ends the subscription. */
  subscribe(environmentId: number, send: Send): () => void;
  publish(environmentId: number, event: PlatformEvent): void;
}

export function createEventHub(): EventHub {
  const subscribers = new Map<number, Set<Send>>();
  return {
    subscribe(environmentId, send) {
      const listening = subscribers.get(environmentId) ?? new Set();
      subscribers.set(environmentId, listening.add(send));
      return () => {
        listening.delete(send);
        if (listening.size === 0) subscribers.delete(environmentId);
      };
    },
    publish(environmentId, event) {
      for (const send of subscribers.get(environmentId) ?? []) send(event);
    },
  };
}
