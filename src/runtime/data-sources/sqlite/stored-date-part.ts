import { IANAZone } from 'luxon';
import type { DatePart } from '../../query/expression.ts';

const dayMs = 86_400_000;
const minuteMs = 60_000;

/** A part of a stored instant on the clock of a zone; a text of ten characters is a day already and belongs to none. */
export function storedDatePart(stored: string, part: DatePart, zone: string): number | null {
  const instant = Date.parse(stored);
  if (Number.isNaN(instant)) return null;
  const isLocal = stored.length === 10 || zone === 'UTC';
  const offsetMs = isLocal ? 0 : IANAZone.create(zone).offset(instant) * minuteMs;
  // The local time, reckoned as if it were one of UTC: years, weeks and days have no zone.
  return parts[part](new Date(instant + offsetMs));
}

const parts: Readonly<Record<DatePart, (local: Date) => number>> = {
  year: (local) => local.getUTCFullYear(),
  quarter: (local) => Math.floor(local.getUTCMonth() / 3) + 1,
  month: (local) => local.getUTCMonth() + 1,
  week: weekOf,
  weekday: weekdayOf,
  day: (local) => local.getUTCDate(),
  hour: (local) => local.getUTCHours(),
};

function weekdayOf(local: Date): number {
  return local.getUTCDay() || 7;
}

/** A week is of the year that its Thursday is of. */
function weekOf(local: Date): number {
  const thursday = new Date(local.getTime() + (4 - weekdayOf(local)) * dayMs);
  const dayOfYear = Math.floor((thursday.getTime() - Date.UTC(thursday.getUTCFullYear(), 0)) / dayMs);
  return Math.floor(dayOfYear / 7) + 1;
}
