import { DateTime, type Zone } from 'luxon';
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
