import { LRUCache } from 'lru-cache';
import type { Clock } from '#kernel/ports/clock';
import { applyPolicy, type RatePolicy } from '#kernel/rates/rate-policy';

/** The caller and the policy whose units a call takes. */
interface AskedUnit {
  readonly policy: RatePolicy;
  readonly key: string;
}

/** Counts what callers do in this process. */
export interface RateCounter {
  /** Take a unit of each policy. Takes none where one is missing, and gives the seconds until all are there. */
  take(asked: readonly AskedUnit[]): number | undefined;
}

/** Whoever was counted longest ago is forgotten first. */
const rememberedKeys = 10_000;
const microsecondsPerSecond = 1_000_000;

export function createRateCounter(clock: Clock): RateCounter {
  const spent = new LRUCache<string, number>({ max: rememberedKeys });
  return {
    take: (asked) => {
      const now = clock.now() * 1000;
      const states = asked.map(({ policy, key: owner }) => {
        const key = `${policy.name} ${owner}`;
        return { key, state: applyPolicy(policy, spent.get(key), now, 1) };
      });
      const wait = Math.max(0, ...states.map(({ state }) => state.untilEnough));
      if (wait > 0) return Math.ceil(wait / microsecondsPerSecond);
      for (const { key, state } of states) spent.set(key, state.spentUntil);
      return undefined;
    },
  };
}
