import { expect, it } from 'vitest';
import { createPlanCache } from '#runtime/query/plan-cache';

it('a cache of plans makes each plan once and drops the plan that was not used for longest', () => {
  const plans = createPlanCache<{ readonly key: string }>(3);
  const made: string[] = [];
  const use = (key: string) =>
    plans.memo(key, {
      context: () => {
        made.push(key);
        return { key };
      },
    });
  const first = use('often');
  for (let other = 0; other < 10; other++) {
    use(`other ${other}`);
    expect(use('often')).toBe(first);
  }
  made.length = 0;
  for (const key of ['often', 'other 9', 'other 8', 'other 7']) use(key);
  expect(made).toEqual(['other 7']);
});
