import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { median, percentile, rounded } from '../../../bench/statistics.ts';

const samples = fc.array(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), { minLength: 1, maxLength: 300 });

describe('median', () => {
  it('is the middle sample, or the mean of the two in the middle', () => {
    expect(median([3])).toBe(3);
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });

  it('sorts by size, not as text', () => {
    expect(median([10, 9, 100])).toBe(10);
  });

  it('leaves what it was given as it was', () => {
    const given = [3, 1, 2];
    median(given);
    expect(given).toEqual([3, 1, 2]);
  });

  it('has as many samples below as above', () => {
    fc.assert(
      fc.property(samples, (values) => {
        const middle = median(values);
        const below = values.filter((value) => value < middle).length;
        const above = values.filter((value) => value > middle).length;
        return Math.max(below, above) <= values.length / 2;
      }),
    );
  });
});

describe('percentile', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);

  it('is the nearest rank', () => {
    expect(percentile(hundred, 95)).toBe(95);
    expect(percentile(hundred, 50)).toBe(50);
    expect(percentile(hundred, 100)).toBe(100);
    expect(percentile([1, 2, 3, 4, 5], 95)).toBe(5);
    expect(percentile([7], 1)).toBe(7);
  });

  it('is a sample that the wanted share does not exceed', () => {
    fc.assert(
      fc.property(samples, fc.integer({ min: 1, max: 100 }), (values, percent) => {
        const limit = percentile(values, percent);
        const within = values.filter((value) => value <= limit).length;
        return values.includes(limit) && within * 100 >= percent * values.length;
      }),
    );
  });

  it.each([0, -5, 101, Number.NaN])('refuses %s per cent', (percent) => {
    expect(() => percentile([1], percent)).toThrow(RangeError);
  });
});

describe('median and percentile', () => {
  it('refuse to speak of nothing, or of what is not a number', () => {
    expect(() => median([])).toThrow(RangeError);
    expect(() => percentile([], 95)).toThrow(RangeError);
    expect(() => median([1, Number.NaN])).toThrow(RangeError);
  });
});

describe('rounded', () => {
  it('keeps fewer decimals the larger the figure is', () => {
    expect([0.45678, 9.87654, 23.8765, 123.456, -0.45678].map(rounded)).toEqual([0.457, 9.877, 23.88, 123.5, -0.457]);
  });
});
