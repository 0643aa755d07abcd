import { describe, expect, it } from 'vitest';
import { periodOf } from '../../../src/console/chart/counted-records.ts';
import { bucketsBetween } from '../../../src/runtime/charts/chart-periods.ts';

describe('the days of a point of a chart', () => {
  it.each(['Day', 'Week', 'Month', 'Quarter', 'Year'] as const)('follow from the label of each %s', (range) => {
    const first = {
      Day: '2023-12-25',
      Week: '2020-12-21',
      Month: '2023-10-01',
      Quarter: '2023-07-01',
      Year: '1999-01-01',
    };
    const last = {
      Day: '2024-03-05',
      Week: '2027-02-01',
      Month: '2026-02-01',
      Quarter: '2026-01-01',
      Year: '2027-01-01',
    };
    const buckets = bucketsBetween([first[range], last[range]], range);
    const periods = buckets.map(({ label }) => periodOf(label));
    expect(periods.map((period) => period?.from)).toEqual(buckets.map(({ firstDay }) => firstDay));
    expect(periods.slice(0, -1).map((period) => period?.until)).toEqual(
      buckets.slice(1).map(({ firstDay }) => firstDay),
    );
  });

  it('are not guessed for other labels', () => {
    expect(['', 'Tuesday', 'Foo 26', 'Q5-2026'].map(periodOf)).toEqual([undefined, undefined, undefined, undefined]);
  });
});
