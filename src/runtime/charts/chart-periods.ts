import { DateTime } from 'luxon';
import type { TimeRange } from '../customizer/chart-definition.ts';
import type { ColumnSchema } from '../query/collection-schema.ts';
import { type ConditionLeaf, type ConditionTree, isBranch } from '../query/condition-tree.ts';
import { firstDayOfBucket } from '../query/date-parts.ts';
import { rewriteLeaf } from '../query/operator-equivalence.ts';
import { intervalCondition } from '../query/operator-rewrites.ts';
import type { Operator } from '../query/operators.ts';

/** The most that a chart shows. Without a limit one date in the year 9999 would make millions. */
const maxBuckets = 10_000;

const steps = {
  Day: { days: 1 },
  Week: { weeks: 1 },
  Month: { months: 1 },
  Quarter: { quarters: 1 },
  Year: { years: 1 },
} as const satisfies Record<TimeRange, object>;

const labelFormats = {
  Day: 'dd/MM/yyyy',
  Week: "'W'W-kkkk",
  Month: 'MMM yy',
  Quarter: "'Q'q-yyyy",
  Year: 'yyyy',
} as const satisfies Record<TimeRange, string>;

/** A period of time: its first day and its label. */
export interface TimeBucket {
  readonly firstDay: string;
  readonly label: string;
}

/**
 * The first day of the period around a date. An instant is read in `timezone`; a day, a week or a month (`2024-01`) has no zone.
 * Throws a `TypeError` for anything else.
 */
export function bucketOf(date: Date | string, timeRange: TimeRange, timezone: string): string {
  if (!Object.hasOwn(steps, timeRange)) {
    throw new TypeError(`"${timeRange}" is not a time range: use ${Object.keys(steps).join(', ')}.`);
  }
  const parsed = date instanceof Date ? DateTime.fromJSDate(date) : DateTime.fromISO(String(date), { zone: 'utc' });
  const hasTime = date instanceof Date || String(date).includes('T');
  const day = firstDayOfBucket(hasTime ? date : parsed.toFormat('yyyy-MM-dd'), timeRange, timezone);
  if (day === null) throw new TypeError(`${JSON.stringify(date)} is not a date: use a Date or an ISO 8601 text.`);
  return day;
}

/**
 * Every period from the earliest to the latest, periods without a date included. Years may have more than four digits, or be before
 * Christ. A period with a date has its day as it was given.
 */
export function bucketsBetween(firstDays: readonly string[], timeRange: TimeRange): readonly TimeBucket[] {
  const given = new Map(firstDays.map((day) => [dayOf(day).toMillis(), day]));
  const [first, ...others] = [...given.keys()].toSorted((a, b) => a - b);
  if (first === undefined) return [];
  const last = others.at(-1) ?? first;
  const buckets: TimeBucket[] = [];
  for (let day = dayAt(first); day.toMillis() <= last; day = day.plus(steps[timeRange])) {
    if (buckets.length === maxBuckets) {
      const stretch = `From ${given.get(first)} to ${given.get(last)}`;
      throw new TypeError(`${stretch} a chart by ${timeRange} has more than ${maxBuckets} points.`);
    }
    const firstDay = given.get(day.toMillis()) ?? day.toFormat('yyyy-MM-dd');
    buckets.push({ firstDay, label: day.toFormat(labelFormats[timeRange]) });
  }
  return buckets;
}

function dayAt(milliseconds: number): DateTime {
  return DateTime.fromMillis(milliseconds, { zone: 'utc', locale: 'en' });
}

/** `2024-01-31`, `20246-01-31`, `-0043-01-31` or `0044-01-31 BC`. */
function dayOf(text: string): DateTime {
  const [, year, month, day, era] = /^(-?\d+)-(\d{2})-(\d{2})( BC)?$/.exec(text) ?? [];
  const date = DateTime.utc(era === undefined ? Number(year) : 1 - Number(year), Number(month), Number(day));
  if (!date.isValid) throw new TypeError(`${JSON.stringify(text)} is not a day that a chart can show.`);
  return date;
}

/** The period before: the same operator or another one, at an earlier moment. */
type Shift = (now: DateTime, amount: number) => { readonly operator: Operator; readonly now: DateTime };

const earlier =
  (operator: Operator, unit: 'day' | 'week' | 'month' | 'quarter' | 'year'): Shift =>
  (now) => ({ operator, now: now.minus({ [unit]: 1 }) });
const whole =
  (operator: Operator): Shift =>
  (now) => ({ operator, now });
const byDays =
  (operator: Operator): Shift =>
  (now, days) => ({ operator, now: now.minus({ days }) });

const shifts: Partial<Record<Operator, Shift>> = {
  Today: whole('Yesterday'),
  Yesterday: earlier('Yesterday', 'day'),
  PreviousWeek: earlier('PreviousWeek', 'week'),
  PreviousMonth: earlier('PreviousMonth', 'month'),
  PreviousQuarter: earlier('PreviousQuarter', 'quarter'),
  PreviousYear: earlier('PreviousYear', 'year'),
  PreviousWeekToDate: whole('PreviousWeek'),
  PreviousMonthToDate: whole('PreviousMonth'),
  PreviousQuarterToDate: whole('PreviousQuarter'),
  PreviousYearToDate: whole('PreviousYear'),
  PreviousXDays: byDays('PreviousXDays'),
  PreviousXDaysToDate: byDays('PreviousXDaysToDate'),
};

/** The column of a condition that can move in time; `undefined` when it cannot. */
type MovableColumn = (path: string) => ColumnSchema | undefined;

/**
 * A condition on a period that moves with the clock, moved to the period before. `undefined` for other conditions, and for
 * several that must hold at once: they would compare different records.
 *
 * @param now in the zone of the caller.
 */
export function previousPeriod(tree: ConditionTree, columnAt: MovableColumn, now: DateTime): ConditionTree | undefined {
  if (isBranch(tree) && tree.aggregator === 'And' && tree.conditions.length > 1) return undefined;
  const moved = shifted(tree, columnAt, now);
  return moved === tree ? undefined : moved;
}

/** The same tree when nothing in it moves. */
function shifted(tree: ConditionTree, columnAt: MovableColumn, now: DateTime): ConditionTree {
  if (!isBranch(tree)) return shiftedLeaf(tree, columnAt, now);
  const conditions = tree.conditions.map((child) => shifted(child, columnAt, now));
  const isSame = conditions.every((child, index) => child === tree.conditions[index]);
  return isSame ? tree : { aggregator: tree.aggregator, conditions };
}

function shiftedLeaf(leaf: ConditionLeaf, columnAt: MovableColumn, now: DateTime): ConditionTree {
  const shift = shifts[leaf.operator];
  const column = shift && columnAt(leaf.field);
  if (!column) return leaf;
  const before = shift(now, typeof leaf.value === 'number' ? leaf.value : 0);
  const stretch = intervalCondition({ ...leaf, operator: before.operator }, { type: column.type, now: before.now });
  return sayable(stretch, column, now);
}

/** The same condition, in operators of the column. */
function sayable(tree: ConditionTree, column: ColumnSchema, now: DateTime): ConditionTree {
  if (isBranch(tree)) {
    return { aggregator: tree.aggregator, conditions: tree.conditions.map((child) => sayable(child, column, now)) };
  }
  return rewriteLeaf(tree, column.operators, { type: column.type, isNullable: column.isNullable, now }) ?? tree;
}
