import { DateTime } from 'luxon';
import type { DateBucket } from './aggregation.ts';

const units = { Year: 'year', Quarter: 'quarter', Month: 'month', Week: 'week', Day: 'day' } as const;

/**
 * The first day, `YYYY-MM-DD`, of the stretch that a date lies in. An instant is taken in `timezone`; a day belongs to
 * no zone. What is no date lies in none: `null`.
 */
export function firstDayOfBucket(value: unknown, bucket: DateBucket, timezone: string): string | null {
  const isDay = typeof value === 'string' && value.length === 10;
  const date =
    value instanceof Date
      ? DateTime.fromJSDate(value, { zone: timezone })
      : DateTime.fromISO(String(value), { zone: 'utc' }).setZone(isDay ? 'utc' : timezone);
  return date.isValid ? date.startOf(units[bucket]).toFormat('yyyy-MM-dd') : null;
}
