import { cloudError } from '#kernel/errors/cloud-error';
import type { Topic } from './store.ts';

interface Listener {
  readonly topic: Topic;
  readonly onAnnounced: (payload: string) => void;
  readonly onGap: () => void;
}

/** PostgreSQL passes on less than 8,000 bytes, the topic included. */
const maxPayloadBytes = 7_000;

/** Passes on what the processes of the platform announce to those who listen in this one. */
export class Announcements {
  readonly #listeners = new Set<Listener>();

  listen(topic: Topic, onAnnounced: Listener['onAnnounced'], onGap: Listener['onGap']): () => void {
    const listener: Listener = { topic, onAnnounced, onGap };
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  pass(topic: string, payload: string): void {
    for (const listener of this.#listeners) if (listener.topic === topic) listener.onAnnounced(payload);
  }

  tellGap(): void {
    for (const listener of this.#listeners) listener.onGap();
  }
}

/** The payload, which every engine can pass on. */
export function checkedPayload(payload: string): string {
  if (Buffer.byteLength(payload) <= maxPayloadBytes) return payload;
  throw cloudError(
    'INTERNAL_BUG',
    `An announcement has more than ${maxPayloadBytes} bytes: announce what changed, not what it changed to.`,
  );
}
