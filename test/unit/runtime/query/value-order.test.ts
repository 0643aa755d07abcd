import { describe, expect, it } from 'vitest';
import { aggregateValues } from '#runtime/query/aggregate-records';
import { comparableOf, compareValues, identityOf } from '#runtime/query/value-order';

const number = comparableOf('Number');

describe('numbers that are not decimals', () => {
  it('stand before and behind all others, NaN last', () => {
    const sorted = [Number.NaN, 1, Number.POSITIVE_INFINITY, '-5.5', Number.NEGATIVE_INFINITY, 0]
      .map(number)
      .sort(compareValues)
      .map(identityOf);
    expect(sorted).toEqual(['-Infinity', '-55e-1', '0', '1e0', 'Infinity', 'NaN']);
  });

  it('are equal to themselves only', () => {
    expect(compareValues(number('NaN'), number(5))).not.toBe(0);
    expect(compareValues(number('NaN'), number(Number.NaN))).toBe(0);
    expect(compareValues(number('Infinity'), number('0'))).toBeGreaterThan(0);
  });

  it('add up to what they are', () => {
    const column = { type: 'Number', isExact: false } as Parameters<typeof aggregateValues>[2];
    expect(aggregateValues('Sum', [1, Number.POSITIVE_INFINITY], column)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('instants', () => {
  it('may lie before and behind all others', () => {
    const instant = comparableOf('Date');
    const texts = ['infinity', '2024-01-01T00:00:00Z', '-infinity', '0001-01-01T00:00:00Z'];
    const sorted = texts.toSorted((a, b) => compareValues(instant(a), instant(b)));
    expect(sorted).toEqual(['-infinity', '0001-01-01T00:00:00Z', '2024-01-01T00:00:00Z', 'infinity']);
    expect(identityOf(instant('infinity'))).not.toBe(identityOf(instant('-infinity')));
  });
});

describe('times', () => {
  it('are ordered by their length where they are durations', () => {
    const time = comparableOf('Time');
    const texts = ['100:00:00', '-838:59:59', '99:00:00', '-00:00:01', '24:00:00', '00:00:00.5', '00:00'];
    const sorted = texts.toSorted((a, b) => compareValues(time(a), time(b)));
    expect(sorted).toEqual(['-838:59:59', '-00:00:01', '00:00', '00:00:00.5', '24:00:00', '99:00:00', '100:00:00']);
    expect(new Set(texts.map((text) => identityOf(time(text)))).size).toBe(texts.length);
    expect(identityOf(time('10:30'))).toBe(identityOf(time('10:30:00.000')));
  });
});
