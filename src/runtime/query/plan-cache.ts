import { LRUCache } from 'lru-cache';

/**
 * The limit for each first object. Many callers with scopes of their own ask the same question, and the memory must not
 * grow with them.
 */
const maxKept = 20;

interface Kept<Second extends object, Result> {
  results: WeakMap<Second, { readonly result: Result }>;
  count: number;
}

/**
 * `derive`, carried out once for each pair of objects: the same request, sent again, leads to the same objects, so that it is
 * not read, checked and planned again. A result is kept when it is frozen, and the first of the objects too; what is not
 * may be something else next time. What is kept goes with the objects that it was derived from, and is for a few second ones
 * of each first one.
 *
 * @param derive gives the same for the same objects; `context` follows from the second of them.
 */
export function derivedOnce<First extends object, Second extends object, Context extends readonly unknown[], Result>(
  derive: (first: First, second: Second, ...context: Context) => Result,
): (first: First, second: Second, ...context: Context) => Result {
  const keptFor = new WeakMap<First, Kept<Second, Result>>();
  return (first, second, ...context) => {
    const kept = keptFor.get(first);
    const found = kept?.results.get(second);
    if (found) return found.result;
    const result = derive(first, second, ...context);
    if (!Object.isFrozen(first) || !Object.isFrozen(result)) return result;
    if (kept && kept.count < maxKept) {
      kept.results.set(second, { result });
      kept.count += 1;
    } else {
      keptFor.set(first, { results: new WeakMap([[second, { result }]]), count: 1 });
    }
    return result;
  };
}

/** Keeps what is costly to make by a key, as long as it is in use: `plans.memo(key, { context: () => make() })`. */
type PlanCache<Plan extends object> = LRUCache<string, Plan, () => Plan>;

/** @param max How many plans are kept; the one that was not used for longest makes room. */
export function createPlanCache<Plan extends object>(max: number): PlanCache<Plan> {
  return new LRUCache<string, Plan, () => Plan>({ max, memoMethod: (_key, _known, { context: make }) => make() });
}
