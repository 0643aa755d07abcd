import { DateTime, Settings } from 'luxon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Operator } from '#runtime/query/operators';
import { type EngineLimits, featureOf, idsWhere, type OpenTables, openedForAll } from './opened.ts';
import type { NeutralTable } from './tables.ts';

const instants = [
  '2024-05-14T21:59:59.999Z', // the last millisecond of the 14th in Paris
  '2024-05-14T22:00:00.000Z', // midnight in Paris
  '2024-05-15T08:29:59.999Z',
  '2024-05-15T08:30:00.000Z', // the present
  '2024-05-15T21:59:59.999Z',
  '2024-05-15T22:00:00.000Z',
  '2024-05-12T22:00:00.000Z', // Monday in Paris
  '2024-04-30T22:00:00.000Z', // the first of May in Paris
  '2024-03-31T22:00:00.000Z', // the first day of the quarter in Paris
  '2023-12-31T23:00:00.000Z', // new year in Paris
];
const days = [
  '2024-05-13',
  '2024-05-14',
  '2024-05-15',
  '2024-05-16',
  '2024-05-05',
  '2024-04-30',
  '2024-03-31',
  '2023-01-01',
];

const tables: readonly NeutralTable[] = [
  {
    name: 'events',
    columns: [
      { name: 'id', type: 'integer' },
      { name: 'at', type: 'instant' },
      { name: 'day', type: 'day' },
    ],
    primaryKey: ['id'],
    rows: [
      ...instants.map((at, index) => ({ id: index + 1, at })),
      ...days.map((day, index) => ({ id: index + 101, day })),
      { id: 200 },
    ],
  },
];

const present = DateTime.fromISO('2024-05-15T10:30:00', { zone: 'Europe/Paris' });

/** Operators that depend on the clock and on the zone of the caller. The clock is held at one instant. */
export function describeRelativeDates(open: OpenTables, limits: EngineLimits = {}): void {
  describe('relative dates', () => {
    const dataSource = openedForAll(open, tables);
    beforeAll(() => {
      Settings.now = () => present.toMillis();
    });
    afterAll(() => {
      Settings.now = () => Date.now();
    });

    const find = async (field: string, operator: Operator, value: number | null, ids: number[]) => {
      const paris = { timezone: 'Europe/Paris' };
      expect(await idsWhere(dataSource(), 'events', { field, operator, value }, paris)).toEqual(ids);
    };
    const dayType = featureOf(limits, 'days');

    it.each<[string, Operator, number | null, number[]]>([
      ['at', 'Today', null, [2, 3, 4, 5]],
      ['at', 'Yesterday', null, [1]],
      ['at', 'Past', null, [1, 2, 3, 7, 8, 9, 10]],
      ['at', 'Future', null, [5, 6]],
      ['at', 'PreviousWeek', null, []],
      ['at', 'PreviousWeekToDate', null, [1, 2, 3, 7]],
      ['at', 'PreviousMonth', null, [9]],
      ['at', 'PreviousMonthToDate', null, [1, 2, 3, 7, 8]],
      ['at', 'PreviousQuarter', null, [10]],
      ['at', 'PreviousQuarterToDate', null, [1, 2, 3, 7, 8, 9]],
      ['at', 'PreviousYear', null, []],
      ['at', 'PreviousYearToDate', null, [1, 2, 3, 7, 8, 9, 10]],
      ['at', 'PreviousXDays', 2, [1, 7]],
      ['at', 'PreviousXDaysToDate', 1, [1, 2, 3]],
      ['at', 'BeforeXHoursAgo', 10, [1, 2, 7, 8, 9, 10]],
      ['at', 'AfterXHoursAgo', 10, [3, 4, 5, 6]],
    ])('find by %s %s %j in Paris', find);

    dayType.it.each<[string, Operator, number | null, number[]]>([
      ['day', 'Today', null, [103]],
      ['day', 'Yesterday', null, [102]],
      ['day', 'Past', null, [101, 102, 105, 106, 107, 108]],
      ['day', 'Future', null, [104]],
      ['day', 'PreviousWeek', null, []],
      ['day', 'PreviousWeekToDate', null, [101, 102, 103]],
      ['day', 'PreviousMonth', null, [106]],
      ['day', 'PreviousMonthToDate', null, [101, 102, 103, 105]],
      ['day', 'PreviousQuarter', null, [107]],
      ['day', 'PreviousQuarterToDate', null, [101, 102, 103, 105, 106]],
      ['day', 'PreviousYear', null, [108]],
      ['day', 'PreviousYearToDate', null, [101, 102, 103, 105, 106, 107]],
      ['day', 'PreviousXDays', 2, [101, 102]],
      ['day', 'PreviousXDaysToDate', 2, [101, 102, 103]],
    ])(`find by %s %s %j in Paris${dayType.note}`, find);

    it('include an instant equal to local midnight in Today', async () => {
      const today = { field: 'at', operator: 'Today' } as const;
      expect(await idsWhere(dataSource(), 'events', today, { timezone: 'Europe/Paris' })).toContain(2);
      // Tokyo's day began at 15:00 UTC.
      expect(await idsWhere(dataSource(), 'events', today, { timezone: 'Asia/Tokyo' })).toEqual([1, 2, 3, 4]);
    });
  });
}
