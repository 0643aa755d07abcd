import type { Store } from '../store/store.ts';
import type { Metrics } from './metrics.ts';

/** The same store, which counts and times its transactions. */
export function measuredStore(store: Store, metrics: Metrics): Store {
  return {
    ...store,
    async transaction(work) {
      const startedAt = performance.now();
      let outcome: 'committed' | 'failed' = 'failed';
      try {
        const result = await store.transaction(work);
        outcome = 'committed';
        return result;
      } finally {
        metrics.transaction(outcome, (performance.now() - startedAt) / 1000);
      }
    },
  };
}
