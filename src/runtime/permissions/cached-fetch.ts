import type { AtHand } from '#kernel/async/at-hand';
import type { Clock } from '#kernel/ports/clock';

export interface CachedFetch<Value> {
  /** The value, fetched anew when the one at hand is older than `maxAgeMs`. */
  get(maxAgeMs: number): AtHand<Value>;
  /** The value where it is not older than that. */
  atHand(maxAgeMs: number): { readonly value: Value } | undefined;
  /** What is at hand has changed: whoever asks or waits gets what is fetched from now on. */
  forget(): void;
}

/**
 * Fetches a value. `isCurrent` says whether it has not been forgotten since it was asked for; else the answer may tell of the
 * state before the change.
 */
export type Fetch<Value> = (isCurrent: () => boolean) => Promise<Value>;

/** Keeps the last answer of `fetch`. Callers that arrive while it is fetched share one call, and a failure is never kept. */
export function createCachedFetch<Value>(fetch: Fetch<Value>, clock: Clock): CachedFetch<Value> {
  let kept: { readonly value: Value; readonly fetchedAtMs: number } | undefined;
  let running: Promise<Value> | undefined;
  let generation = 0;

  const refresh = async (): Promise<Value> => {
    const asked = generation;
    const isCurrent = () => asked === generation;
    // The age counts from the question, so that a slow answer is not taken for a fresh one.
    const fetchedAtMs = clock.monotonicMs();
    try {
      const value = await fetch(isCurrent);
      if (isCurrent()) kept = { value, fetchedAtMs };
    } finally {
      if (isCurrent()) running = undefined;
    }
    if (kept) return kept.value;
    running ??= refresh();
    return running;
  };

  const atHand = (maxAgeMs: number) => (kept && clock.monotonicMs() - kept.fetchedAtMs <= maxAgeMs ? kept : undefined);

  return {
    atHand,
    get: (maxAgeMs) => {
      const found = atHand(maxAgeMs);
      if (found) return found.value;
      running ??= refresh();
      return running;
    },
    forget: () => {
      generation++;
      kept = undefined;
      running = undefined;
    },
  };
}
