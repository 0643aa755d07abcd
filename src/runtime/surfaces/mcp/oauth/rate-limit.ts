import { LRUCache } from 'lru-cache';
import type { Clock } from '#kernel/ports/clock';

const windowMs = 60_000;
/** More keys than that are not told apart from new ones. */
const maxKeys = 10_000;

/** Counts what each key does in a minute. */
export interface RateLimit {
  /** Count once more. The seconds to wait where that is too much; `undefined` otherwise. */
  take(key: string): number | undefined;
}

export function createRateLimit(perMinute: number, clock: Clock): RateLimit {
  const counts = new LRUCache<string, { readonly since: number; count: number }>({ max: maxKeys });
  return {
    take: (key) => {
      const now = clock.monotonicMs();
      const known = counts.get(key);
      if (!known || now - known.since >= windowMs) {
        counts.set(key, { since: now, count: 1 });
        return undefined;
      }
      known.count++;
      return known.count <= perMinute ? undefined : Math.ceil((known.since + windowMs - now) / 1000);
    },
  };
}
