import type { Clock } from '#kernel/ports/clock';

export interface CachedFetch<Value> {
  /** The value, fetched anew when the one at hand is older than `maxAgeMs`. */
  get(maxAgeMs: number): Promise<Value>;
  /** The value where it is not older than that. */
  atHand(maxAgeMs: number): { readonly value: Value } | undefined;
  /** What is at hand has changed: whoever asks from now on gets what is fetched from now on. */
  forget(): void;
}

/** Keeps the last answer of `fetch`. Callers that arrive while it is fetched share one call, and a failure is never kept. */
export function createCachedFetch<Value>(fetch: () => Promise<Value>, clock: Clock): CachedFetch<Value> {
  let kept: { readonly value: Value; readonly fetchedAtMs: number } | undefined;
  let running: Promise<Value> | undefined;

  const refresh = (): Promise<Value> => {
    // The age counts from the question, so that a slow answer is not taken for a fresh one.
    const fetchedAtMs = clock.monotonicMs();
    const own = fetch().then(
      (value) => {
        // An answer to a question asked before the change may tell of the state before it.
        if (running === own) kept = { value, fetchedAtMs };
        release();
        return value;
      },
      (error: unknown) => {
        release();
        throw error;
      },
    );
    const release = () => {
      if (running === own) running = undefined;
    };
    return own;
  };

  const atHand = (maxAgeMs: number) => (kept && clock.monotonicMs() - kept.fetchedAtMs <= maxAgeMs ? kept : undefined);

  return {
    atHand,
    get: async (maxAgeMs) => {
      const found = atHand(maxAgeMs);
      if (found) return found.value;
      running ??= refresh();
      return running;
    },
    forget: () => {
      kept = undefined;
      running = undefined;
    },
  };
}
