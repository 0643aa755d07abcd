import { DateTime } from 'luxon';
import type { TimeRange } from '../customizer/chart-definition.ts';
import { firstDayOfBucket } from '../query/date-buckets.ts';

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
    throw new TypeError(`"${timeRange}" is no time range: use ${Object.keys(steps).join(', ')}.`);
  }
  const parsed = date instanceof Date ? DateTime.fromJSDate(date) : DateTime.fromISO(String(date), { zone: 'utc' });
  const hasTime = date instanceof Date || String(date).includes('T');
  const day = firstDayOfBucket(hasTime ? date : parsed.toFormat('yyyy-MM-dd'), timeRange, timezone);
  if (day === null) throw new TypeError(`${JSON.stringify(date)} is no date: use a Date or an ISO 8601 text.`);
  return day;
}

/** Every period from the earliest to the latest, periods without a date included. */
export function bucketsBetween(firstDays: readonly string[], timeRange: TimeRange): readonly TimeBucket[] {
  const [first, ...others] = firstDays.toSorted();
  if (first === undefined) return [];
  const last = others.at(-1) ?? first;
  const buckets: TimeBucket[] = [];
  const start = DateTime.fromISO(first, { zone: 'utc', locale: 'en' });
  for (let day = start; ; day = day.plus(steps[timeRange])) {
    const firstDay = day.toFormat('yyyy-MM-dd');
    if (firstDay > last) return buckets;
    if (buckets.length === maxBuckets) {
      throw new TypeError(`From ${first} to ${last} a chart by ${timeRange} has more than ${maxBuckets} points.`);
    }
    buckets.push({ firstDay, label: day.toFormat(labelFormats[timeRange]) });
  }
}
