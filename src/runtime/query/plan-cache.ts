/** Keeps what is costly to make by a key, dropping what has not been used for long. */
export interface PlanCache {
  /** What `key` stands for; made by `make` the first time. Keys of different kinds must differ. */
  getOrMake<Plan extends object>(key: string, make: () => Plan): Plan;
}

/**
 * Two generations, since whoever asks again must not cost: to move a key within a map at each use leaves tables behind
 * that the garbage collector takes for alive.
 *
 * @param capacity How many are kept at most; half of them for certain, which are those used last.
 */
export function createPlanCache(capacity: number): PlanCache {
  let recent = new Map<string, object>();
  let older = new Map<string, object>();
  return {
    getOrMake<Plan extends object>(key: string, make: () => Plan): Plan {
      const known = recent.get(key);
      // A key belongs to one call site, so what it holds is what that site made.
      if (known) return known as Plan;
      const plan = (older.get(key) as Plan | undefined) ?? make();
      if (recent.size * 2 >= capacity) {
        older = recent;
        recent = new Map();
      }
      recent.set(key, plan);
      return plan;
    },
  };
}
