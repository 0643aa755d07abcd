import type { Clock } from '#kernel/ports/clock';

export interface CachedFetch<Value> {
  /** The value, fetched anew when the one at hand is older than `maxAgeMs`. */
  get(maxAgeMs: number): Promise<Value>;
}

/** Keeps the last answer of `fetch`. Callers that arrive while it is fetched share one call, and a failure is never kept. */
export function createCachedFetch<Value>(fetch: () => Promise<Value>, clock: Clock): CachedFetch<Value> {
  let kept: { readonly value: Value; readonly fetchedAtMs: number } | undefined;
  let running: Promise<Value> | undefined;

  const refresh = async () => {
    // The age counts from the question, so that a slow answer is not taken for a fresh one.
    const fetchedAtMs = clock.monotonicMs();
    try {
      const value = await fetch();
      kept = { value, fetchedAtMs };
      return value;
    } finally {
      running = undefined;
    }
  };

  return {
    get: async (maxAgeMs) => {
      if (kept && clock.monotonicMs() - kept.fetchedAtMs <= maxAgeMs) return kept.value;
      running ??= refresh();
      return running;
    },
  };
}
