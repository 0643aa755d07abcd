import { DateTime, type Zone } from 'luxon';
import type { DateBucket } from './aggregation.ts';
import type { ColumnType } from './column-type.ts';
import type { DatePart } from './expression.ts';

const parts: Readonly<Record<DatePart, (date: DateTime) => number>> = {
  year: (date) => date.year,
  quarter: (date) => date.quarter,
  month: (date) => date.month,
  week: (date) => date.weekNumber,
  weekday: (date) => date.weekday,
  day: (date) => date.day,
  hour: (date) => date.hour,
};

export const dateParts = Object.keys(parts) as readonly DatePart[];

/** A part of a date: of an instant in `zone`, of a day whatever the zone. Weeks are those of ISO 8601. */
export function datePartReader(part: DatePart, type: ColumnType, zone: Zone): (value: unknown) => number {
  return (value) => {
    const date = DateTime.fromISO(String(value), { zone: 'utc' });
    return parts[part](type === 'Dateonly' ? date : date.setZone(zone));
  };
}

const units = { Year: 'year', Quarter: 'quarter', Month: 'month', Week: 'week', Day: 'day' } as const;

/**
 * The first day, `YYYY-MM-DD`, of the stretch that a date is in. An instant is taken in `timezone`; a day belongs to
 * no zone. What is not a date is in none: `null`.
 */
export function firstDayOfBucket(value: unknown, bucket: DateBucket, timezone: string): string | null {
  const isDay = typeof value === 'string' && value.length === 10;
  const date =
    value instanceof Date
      ? DateTime.fromJSDate(value, { zone: timezone })
      : DateTime.fromISO(String(value), { zone: 'utc' }).setZone(isDay ? 'utc' : timezone);
  return date.isValid ? date.startOf(units[bucket]).toFormat('yyyy-MM-dd') : null;
}
