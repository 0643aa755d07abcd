import { DateTime } from 'luxon';
import { describe, expect, it } from 'vitest';
import type { Operator } from '#runtime/query/operators';
import { relativeDays, relativeInterval } from '#runtime/query/relative-dates';

const now = DateTime.fromISO('2024-05-15T10:30:00', { zone: 'Europe/Paris' });

function interval(operator: Operator, value?: number, at = now) {
  const { from, after, before } = relativeInterval(operator, value, at);
  return [from ?? after, before].map((edge) => edge?.toUTC().toFormat("yyyy-MM-dd'T'HH:mm"));
}

describe('relativeInterval', () => {
  it.each<[Operator, number | undefined, string | undefined, string | undefined]>([
    ['Today', undefined, '2024-05-14T22:00', '2024-05-15T22:00'],
    ['Yesterday', undefined, '2024-05-13T22:00', '2024-05-14T22:00'],
    ['PreviousWeek', undefined, '2024-05-05T22:00', '2024-05-12T22:00'],
    ['PreviousWeekToDate', undefined, '2024-05-12T22:00', '2024-05-15T08:30'],
    ['PreviousMonth', undefined, '2024-03-31T22:00', '2024-04-30T22:00'],
    ['PreviousQuarter', undefined, '2023-12-31T23:00', '2024-03-31T22:00'],
    ['PreviousQuarterToDate', undefined, '2024-03-31T22:00', '2024-05-15T08:30'],
    ['PreviousYear', undefined, '2022-12-31T23:00', '2023-12-31T23:00'],
    ['PreviousXDays', 3, '2024-05-11T22:00', '2024-05-14T22:00'],
    ['PreviousXDaysToDate', 3, '2024-05-11T22:00', '2024-05-15T08:30'],
    ['Past', undefined, undefined, '2024-05-15T08:30'],
    ['Future', undefined, '2024-05-15T08:30', undefined],
    ['BeforeXHoursAgo', 2, undefined, '2024-05-15T06:30'],
    ['AfterXHoursAgo', 2, '2024-05-15T06:30', undefined],
  ])('%s of %s is from %s to %s', (operator, value, from, before) => {
    expect(interval(operator, value)).toEqual([from, before]);
  });

  it('gives a day of 23 hours where the clock is put forward', () => {
    const springForward = DateTime.fromISO('2024-03-31T12:00:00', { zone: 'Europe/Paris' });
    expect(interval('Today', undefined, springForward)).toEqual(['2024-03-30T23:00', '2024-03-31T22:00']);
  });
});

describe('relativeDays', () => {
  it.each<[Operator, number | undefined, object]>([
    ['Today', undefined, { from: '2024-05-15', before: '2024-05-16' }],
    ['PreviousWeek', undefined, { from: '2024-05-06', before: '2024-05-13' }],
    ['PreviousMonthToDate', undefined, { from: '2024-05-01', before: '2024-05-16' }],
    ['PreviousXDaysToDate', 2, { from: '2024-05-13', before: '2024-05-16' }],
    ['Past', undefined, { before: '2024-05-15' }],
    ['Future', undefined, { after: '2024-05-15' }],
    ['BeforeXHoursAgo', 11, { before: '2024-05-14' }],
  ])('%s of %s is %j: a day that has begun is inside', (operator, value, days) => {
    expect(relativeDays(operator, value, now)).toEqual(days);
  });

  it('ends before a day that has not begun', () => {
    const midnight = now.startOf('day');
    expect(relativeDays('PreviousMonthToDate', undefined, midnight)).toEqual({
      from: '2024-05-01',
      before: '2024-05-15',
    });
  });
});
