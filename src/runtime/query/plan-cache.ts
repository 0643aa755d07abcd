import { LRUCache } from 'lru-cache';

/** Keeps what is costly to make by a key, as long as it is in use: `plans.memo(key, { context: () => make() })`. */
export type PlanCache<Plan extends object> = LRUCache<string, Plan, () => Plan>;

/** @param max How many plans are kept; the one that was not used for longest makes room. */
export function createPlanCache<Plan extends object>(max: number): PlanCache<Plan> {
  return new LRUCache<string, Plan, () => Plan>({ max, memoMethod: (_key, _known, { context: make }) => make() });
}
