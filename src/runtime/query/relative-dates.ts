import type { DateTime } from 'luxon';
import type { Operator } from './operators.ts';

/** A stretch of time: `from` is inside, `before` outside; `after` is the strict form of `from`. */
export interface Interval {
  readonly from?: DateTime;
  readonly after?: DateTime;
  readonly before?: DateTime;
}

type IntervalOf = (now: DateTime, amount: number) => Interval;
type Unit = 'week' | 'month' | 'quarter' | 'year';

const previous =
  (unit: Unit): IntervalOf =>
  (now) => ({ from: now.minus({ [unit]: 1 }).startOf(unit), before: now.startOf(unit) });

const toDate =
  (unit: Unit): IntervalOf =>
  (now) => ({ from: now.startOf(unit), before: now });

const intervals: Partial<Record<Operator, IntervalOf>> = {
  Today: (now) => ({ from: now.startOf('day'), before: now.plus({ day: 1 }).startOf('day') }),
  Yesterday: (now) => ({ from: now.minus({ day: 1 }).startOf('day'), before: now.startOf('day') }),
  Past: (now) => ({ before: now }),
  Future: (now) => ({ after: now }),
  PreviousWeek: previous('week'),
  PreviousMonth: previous('month'),
  PreviousQuarter: previous('quarter'),
  PreviousYear: previous('year'),
  PreviousWeekToDate: toDate('week'),
  PreviousMonthToDate: toDate('month'),
  PreviousQuarterToDate: toDate('quarter'),
  PreviousYearToDate: toDate('year'),
  PreviousXDays: (now, days) => ({ from: now.minus({ days }).startOf('day'), before: now.startOf('day') }),
  PreviousXDaysToDate: (now, days) => ({ from: now.minus({ days }).startOf('day'), before: now }),
  BeforeXHoursAgo: (now, hours) => ({ before: now.minus({ hours }) }),
  AfterXHoursAgo: (now, hours) => ({ after: now.minus({ hours }) }),
};

const daysOfThousandYears = 365_250;
const furthest: Partial<Record<Operator, number>> = {
  PreviousXDays: daysOfThousandYears,
  PreviousXDaysToDate: daysOfThousandYears,
  BeforeXHoursAgo: daysOfThousandYears * 24,
  AfterXHoursAgo: daysOfThousandYears * 24,
};

/** The largest number of days or hours that still leads to a date every database can hold: a thousand years. */
export function furthestAmount(operator: Operator): number {
  return furthest[operator] ?? Number.POSITIVE_INFINITY;
}

/** Whether an operator compares with a stretch of time that moves with the clock. */
export function isRelativeDateOperator(operator: Operator): boolean {
  return intervals[operator] !== undefined;
}

/**
 * The stretch of time an operator means at `now`, whose zone says where days begin. Weeks begin on Monday, quarters on
 * their first day.
 */
export function relativeInterval(operator: Operator, value: unknown, now: DateTime): Interval {
  return intervals[operator]?.(now, typeof value === 'number' ? value : 0) ?? {};
}

/** `relativeInterval` in whole days, as `YYYY-MM-DD`, for columns without a time. */
export interface DayInterval {
  readonly from?: string;
  readonly after?: string;
  readonly before?: string;
}

/** A day that has begun counts as inside, except for the operators that ask for what is before or after the present. */
export function relativeDays(operator: Operator, value: unknown, now: DateTime): DayInterval {
  const { from, after, before } = relativeInterval(operator, value, now);
  if (!from) return { ...(after ? { after: dayOf(after) } : {}), ...(before ? { before: dayOf(before) } : {}) };
  const hasBegun = before && !before.equals(before.startOf('day'));
  return { from: dayOf(from), ...(before ? { before: dayOf(hasBegun ? before.plus({ day: 1 }) : before) } : {}) };
}

function dayOf(instant: DateTime): string {
  return instant.toFormat('yyyy-MM-dd');
}
