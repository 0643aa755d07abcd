import { describe, expect, it } from 'vitest';
import { UnderWay } from '#kernel/async/under-way';
import { oldMemoryOf } from '../../../helpers/held-memory.ts';

function holding<Item>(...items: readonly Item[]): UnderWay<Item> {
  const underWay = new UnderWay<Item>();
  for (const item of items) underWay.add(item);
  return underWay;
}

describe('what is under way', () => {
  it('is there in the order in which it came, until it is deleted', () => {
    const underWay = holding('a', 'b', 'c');
    expect(underWay.size).toBe(3);
    expect(underWay.first()).toBe('a');
    expect(underWay.delete('b')).toBe(true);
    expect(underWay.delete('b')).toBe(false);
    expect([...underWay]).toEqual(['a', 'c']);
  });

  it('may leave and come while somebody walks over it', () => {
    const underWay = holding('a', 'b', 'c', 'd');
    const seen: string[] = [];
    for (const item of underWay) {
      seen.push(item);
      underWay.delete(item);
      if (item === 'a') underWay.delete('c');
      if (item === 'b') underWay.add('e');
    }
    expect(seen).toEqual(['a', 'b', 'd']);
    expect([...underWay]).toEqual(['e']);
  });

  it('is not held once it has left', async () => {
    const underWay = new UnderWay<() => unknown>();
    const grownMb = await oldMemoryOf((request) => {
      underWay.add(request);
      return () => underWay.delete(request);
    });
    expect(grownMb).toBeLessThan(8);
  });

  it('would be held by a set, which is why there is this class', async () => {
    const set = new Set<() => unknown>();
    const grownMb = await oldMemoryOf((request) => {
      set.add(request);
      return () => set.delete(request);
    });
    expect(grownMb).toBeGreaterThan(16);
  });
});
