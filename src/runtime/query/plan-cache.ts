/** Keeps what is costly to make by a key, dropping what has not been used for longest. */
export interface PlanCache {
  /** What `key` stands for; made by `make` the first time. Keys of different kinds must differ. */
  getOrMake<Plan extends object>(key: string, make: () => Plan): Plan;
}

export function createPlanCache(capacity: number): PlanCache {
  const plans = new Map<string, object>();
  return {
    getOrMake<Plan extends object>(key: string, make: () => Plan): Plan {
      // A key belongs to one call site, so what it holds is what that site made.
      const plan = (plans.get(key) as Plan | undefined) ?? make();
      plans.delete(key);
      plans.set(key, plan);
      if (plans.size > capacity) {
        const oldest = plans.keys().next();
        if (!oldest.done) plans.delete(oldest.value);
      }
      return plan;
    },
  };
}
