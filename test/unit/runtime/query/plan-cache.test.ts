import { describe, expect, it } from 'vitest';
import { createPlanCache } from '#runtime/query/plan-cache';

function createCounted(capacity: number) {
  const cache = createPlanCache(capacity);
  const made: string[] = [];
  const use = (key: string) =>
    cache.getOrMake(key, () => {
      made.push(key);
      return { key };
    });
  return { use, made };
}

describe('a cache of plans', () => {
  it('makes a plan once for a key that stays in use', () => {
    const { use, made } = createCounted(4);
    const first = use('often');
    for (let other = 0; other < 100; other++) {
      use(`other ${other}`);
      expect(use('often')).toBe(first);
    }
    expect(made.filter((key) => key === 'often')).toEqual(['often']);
  });

  it('holds half of its capacity for certain, and no more than all of it', () => {
    const { use, made } = createCounted(8);
    const keys = Array.from({ length: 20 }, (_, index) => `key ${index}`);
    for (const key of keys) use(key);
    made.length = 0;
    for (const key of keys.slice(-4)) use(key);
    expect(made).toEqual([]);
    for (const key of keys.slice(0, 12)) use(key);
    expect(made).toEqual(keys.slice(0, 12));
  });
});
