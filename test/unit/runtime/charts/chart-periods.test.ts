import { describe, expect, it } from 'vitest';
import { bucketsBetween } from '#runtime/charts/chart-periods';

describe('the periods of a chart', () => {
  it('go on beyond the year 9999, and keep the days that were given', () => {
    expect(bucketsBetween(['10001-01-01', '9999-01-01'], 'Year')).toEqual([
      { firstDay: '9999-01-01', label: '9999' },
      { firstDay: '10000-01-01', label: '10000' },
      { firstDay: '10001-01-01', label: '10001' },
    ]);
  });

  it('begin before Christ, in both ways to write that', () => {
    const days = ['0001-01-01', '0002-01-01 BC'];
    expect(bucketsBetween(days, 'Year').map(({ firstDay }) => firstDay)).toEqual([
      '0002-01-01 BC',
      '0000-01-01',
      '0001-01-01',
    ]);
    expect(bucketsBetween(['-0001-01-01', '0001-01-01'], 'Year')).toHaveLength(3);
  });

  it('are refused where they are too many, or a day cannot be read', () => {
    expect(() => bucketsBetween(['2024-01-01', '20246-03-01'], 'Month')).toThrow(
      'From 2024-01-01 to 20246-03-01 a chart by Month has more than 10000 points.',
    );
    expect(() => bucketsBetween(['infinity'], 'Month')).toThrow('"infinity" is not a day');
  });
});
