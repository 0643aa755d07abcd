import { DateTime } from 'luxon';

const inUtc = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})(?:\.(\d+))?(?:\+00)?$/;
const general =
  /^(\d{4,})-(\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})(?:\.(\d+))?(?:([+-])(\d{2})(?::?(\d{2}))?(?::?(\d{2}))?)?( BC)?$/;

/** An instant as records have it: ISO 8601 in UTC with milliseconds. What is no such instant (`infinity`) stays as it is. */
export function readInstant(text: string): string {
  const [, day, time, fraction] = inUtc.exec(text) ?? [];
  if (day !== undefined) return `${day}T${time}.${milliseconds(fraction)}Z`;
  return readUnusualInstant(text);
}

/** The same with every digit behind the second that there is: by less a key finds no record. */
export function readKeyInstant(text: string): string {
  const [, digits = ''] = /\.\d{3}(\d*)/.exec(text) ?? [];
  return readInstant(text).replace(/Z$/, `${digits}Z`);
}

/** Years beyond 9999 or before Christ, and offsets, which a pooler may impose. */
function readUnusualInstant(text: string): string {
  const parts = general.exec(text);
  if (!parts) return text;
  const [, yearText, day, time, fraction, sign, hours = '0', minutes = '0', seconds = '0', era] = parts;
  const year = era === undefined ? Number(yearText) : 1 - Number(yearText);
  const isoYear =
    year >= 0 && year <= 9999
      ? String(year).padStart(4, '0')
      : `${year < 0 ? '-' : '+'}${String(Math.abs(year)).padStart(6, '0')}`;
  const local = Date.parse(`${isoYear}-${day}T${time}.${milliseconds(fraction)}Z`);
  const offsetMs = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
  const instant = new Date(sign === '-' ? local + offsetMs : local - offsetMs);
  return Number.isNaN(instant.getTime()) ? text : instant.toISOString();
}

function milliseconds(fraction = ''): string {
  return fraction.slice(0, 3).padEnd(3, '0');
}

/** `HH:MM:SS`, a fraction of three digits or more if there is one, and the offset where the type has one. */
export function readTime(text: string): string {
  const [, time = text, fraction = '', offset = ''] = /^([\d:]+)(?:\.(\d+))?([+-].*)?$/.exec(text) ?? [];
  const part = fraction === '' ? '' : `.${fraction.padEnd(3, '0')}`;
  return `${time}${part}${/^[+-]\d{2}$/.test(offset) ? `${offset}:00` : offset}`;
}

/**
 * An instant as it is bound, in UTC, with as many digits behind the second as the value has. A text without zone is UTC;
 * `infinity` and `-infinity` stay as they are.
 */
export function writeInstant(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  const text = String(value);
  if (text.endsWith('infinity')) return text;
  const instant = DateTime.fromISO(text, { zone: 'utc' });
  const fraction = /[.,](\d+)/.exec(text)?.[1] ?? '';
  return `${instant.toFormat("yyyy-MM-dd'T'HH:mm:ss")}.${fraction.padEnd(3, '0')}Z`;
}
