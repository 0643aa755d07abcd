import { describe, expect, it } from 'vitest';
import { UnderWay } from '#kernel/async/under-way';
import { oldMemoryOf } from '../../../helpers/held-memory.ts';

function holding<Item>(...items: readonly Item[]): UnderWay<Item> {
  const underWay = new UnderWay<Item>();
  for (const item of items) underWay.add(item);
  return underWay;
}

describe('a list of what comes and goes with requests', () => {
  it('keeps things in the order in which they came, until they are deleted', () => {
    const underWay = holding('a', 'b', 'c');
    expect(underWay.size).toBe(3);
    expect(underWay.first()).toBe('a');
    expect(underWay.delete('b')).toBe(true);
    expect(underWay.delete('b')).toBe(false);
    expect([...underWay]).toEqual(['a', 'c']);
  });

  it('may be changed while somebody walks over it', () => {
    const underWay = holding('a', 'b', 'c', 'd');
    const seen: string[] = [];
    for (const item of underWay) {
      seen.push(item);
      underWay.delete(item);
      if (item === 'a') underWay.delete('c');
      if (item === 'b') underWay.add('e');
    }
    expect(seen).toEqual(['a', 'b', 'd', 'e']);
    expect(underWay.size).toBe(0);
  });

  it('passes nothing over where an earlier one is deleted while somebody walks over it', () => {
    const underWay = holding('a', 'b', 'c');
    const seen: string[] = [];
    for (const item of underWay) {
      seen.push(item);
      if (item === 'b') underWay.delete('a');
    }
    expect(seen).toEqual(['a', 'b', 'c']);
  });

  it('holds nothing that has left', async () => {
    const underWay = new UnderWay<() => unknown>();
    const grownMb = await oldMemoryOf((request) => {
      underWay.add(request);
      return () => underWay.delete(request);
    });
    expect(grownMb).toBeLessThan(8);
  });

  it('is needed because a set holds what has left', async () => {
    const set = new Set<() => unknown>();
    const grownMb = await oldMemoryOf((request) => {
      set.add(request);
      return () => set.delete(request);
    });
    expect(grownMb).toBeGreaterThan(16);
  });
});
