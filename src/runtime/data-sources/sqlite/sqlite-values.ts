import { DateTime } from 'luxon';
import { parseExactly } from '#kernel/json/read-json';
import type { SqlValue } from '#kernel/ports/sql-row';
import { writeRefused } from '#node/database/database-errors';
import type { ColumnSchema, InstantForm } from '../../query/collection-schema.ts';
import { compareDecimals, type ExactDecimal, parseDecimal } from '../../query/exact-decimal.ts';
import { documentText, nullDocument, parseStoredDocument } from '../../query/stored-document.ts';
import { isUntyped, scaleOf } from './sqlite-columns.ts';

/** How a stored value of the column is read; never called with `null`. */
export function sqliteDecoder(column: ColumnSchema): (stored: SqlValue) => unknown {
  if (column.type === 'Number' && column.isExact) {
    const scale = scaleOf(column.nativeType);
    return (stored) => decimalDigits(stored, scale);
  }
  switch (column.type) {
    case 'Number':
      // Beyond what a JS number can hold only the digits are exact.
      return (stored) => (typeof stored === 'bigint' || isOuter(stored) ? String(stored) : stored);
    case 'Boolean':
      return decodeBoolean;
    case 'Date':
      return (stored) => (column.hasEveryDigit ? decodeEveryDigit : decodeInstant)(stored, column.instantForm);
    case 'Dateonly':
      return (stored) => String(stored).slice(0, 10);
    case 'Json':
      return column.hasEveryDigit ? (stored) => decodeJson(stored) ?? nullDocument : decodeJson;
    case 'Binary':
      return (stored) => (typeof stored === 'string' ? new TextEncoder().encode(stored) : stored);
    default:
      if (isUntyped(column)) return shownText;
      return (stored) => (typeof stored === 'string' ? stored : decodeLooseText(stored));
  }
}

/**
 * How a validated value of the column is stored.
 *
 * @throws `DATABASE_VALUE_REFUSED` for a number that SQLite would silently cut to its first digits.
 */
export function encodeForSqlite(column: ColumnSchema, value: unknown): SqlValue {
  if (value === null || value === undefined) return null;
  switch (column.type) {
    case 'Number':
      requireKept(column, value);
      return isOuter(Number(value)) ? Number(value) : plainValue(value);
    case 'Boolean':
      return value === true ? 1 : 0;
    case 'Date':
      if (column.instantForm) return instantNumber(value, column.instantForm);
      return storesSqlTimestamps(column) ? exactInstant(value).replace('T', ' ').replace('Z', '') : exactInstant(value);
    case 'Json':
      return documentText(value);
    case 'Time':
      return canonicalTime(value);
    case 'Uuid':
      return String(value).toLowerCase();
    default:
      return plainValue(value);
  }
}

export function isOuter(value: SqlValue): boolean {
  return value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY;
}

const smallestInteger: ExactDecimal = { units: -(2n ** 63n), scale: 0 };
const largestInteger: ExactDecimal = { units: 2n ** 63n - 1n, scale: 0 };

/** SQLite has integers of 64 bits and floating point numbers, and takes the second for what is not such an integer. */
function requireKept({ name, nativeType, isExact }: ColumnSchema, value: unknown): void {
  const isWhole = /int/i.test(nativeType);
  if (value === 'NaN') {
    throw writeRefused({
      code: 'DATABASE_VALUE_REFUSED',
      problem: 'is NaN, which SQLite keeps as null',
      fields: [name],
    });
  }
  const digits = isWhole || isExact ? parseDecimal(value) : undefined;
  if (!digits) return;
  const isInteger = digits.scale <= 0 || isWhole;
  if (compareDecimals(digits, smallestInteger) >= 0 && compareDecimals(digits, largestInteger) <= 0 && isInteger)
    return;
  if (isWhole) {
    const problem =
      'is not between -9223372036854775808 and 9223372036854775807, which is what an integer of SQLite holds';
    throw writeRefused({ code: 'DATABASE_VALUE_REFUSED', problem, fields: [name] });
  }
  const kept = parseDecimal(Number(value));
  if (kept && compareDecimals(kept, digits) === 0) return;
  const problem = 'has more digits than a decimal of SQLite keeps, which are 15 to 17';
  throw writeRefused({ code: 'DATABASE_VALUE_REFUSED', problem, fields: [name] });
}

/** The form in which instants are compared: ISO 8601 in UTC with milliseconds. */
export function canonicalInstant(value: unknown): string {
  const instant = value instanceof Date ? DateTime.fromJSDate(value) : DateTime.fromISO(String(value), { zone: 'utc' });
  return instant.toUTC().toISO() ?? String(value);
}

/** The same with every digit behind the second that there is: applications keep microseconds, which are kept. */
function exactInstant(value: unknown): string {
  return canonicalInstant(value).replace(/Z$/, `${laterDigits(value)}Z`);
}

/** The digits of a text behind its milliseconds, without zeros at the end. */
function laterDigits(value: unknown): string {
  return /[.,]\d{3}(\d*?)0*(?:\D|$)/.exec(value instanceof Date ? '' : String(value))?.[1] ?? '';
}

/** `HH:MM:SS` and what there is of a fraction: a time of day has no zone. */
export function canonicalTime(value: unknown): string {
  const [, minutes, seconds = ':00', fraction = ''] = /^(\d{2}:\d{2})(:\d{2})?(?:\.(\d+))?/.exec(String(value)) ?? [];
  const digits = fraction.replace(/0+$/, '');
  return minutes === undefined ? String(value) : `${minutes}${seconds}${digits === '' ? '' : `.${digits}`}`;
}

export function plainValue(value: unknown): SqlValue {
  if (typeof value === 'object' && !(value instanceof Uint8Array)) return JSON.stringify(value);
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof Uint8Array ? value : String(value);
}

/** A column that the database itself fills with `CURRENT_TIMESTAMP` holds SQL's form, and should hold one form only. */
function storesSqlTimestamps(column: ColumnSchema): boolean {
  return column.hasDefault && column.defaultValue === undefined;
}

/** The digits of a stored number as records show them. */
export function decimalDigits(stored: SqlValue, scale: number | undefined): string {
  if (typeof stored === 'number' && scale !== undefined && Math.abs(stored) < 1e15) return stored.toFixed(scale);
  if (typeof stored === 'bigint' && scale !== undefined && scale > 0) return `${stored}.${'0'.repeat(scale)}`;
  return String(stored);
}

function decodeBoolean(stored: SqlValue): boolean {
  return typeof stored === 'string' ? ['1', 't', 'true', 'yes'].includes(stored.toLowerCase()) : Number(stored) !== 0;
}

const canonicalText = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const sqlText = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/;

/** From here on a number cannot be seconds: SQLite knows the years to 9999. */
export const leastMilliseconds = 253_402_300_800;
/** As SQLite decides it: a smaller number is taken for a Julian day. */
const greatestJulianDay = 5_373_484.5;
const dayMs = 86_400_000;
/** 1970 in Julian days. */
const epochDay = 2_440_587.5;

/** Unless the form is known, as SQLite takes a number, but that it may be too large for seconds. */
function formOfNumber(number: number): InstantForm {
  if (Math.abs(number) >= leastMilliseconds) return 'milliseconds';
  return number >= 0 && number < greatestJulianDay ? 'julianDays' : 'seconds';
}

function millisecondsOf(number: number, form: InstantForm): number {
  if (form === 'milliseconds') return Math.floor(number);
  return form === 'seconds' ? Math.round(number * 1000) : Math.floor(number * dayMs + 0.5) - epochDay * dayMs;
}

function instantNumber(value: unknown, form: InstantForm): SqlValue {
  const milliseconds = Date.parse(canonicalInstant(value));
  if (form === 'julianDays') return milliseconds / dayMs + epochDay;
  const number = form === 'seconds' ? secondsOf(milliseconds, laterDigits(value)) : milliseconds;
  // The driver binds a number as a floating point one.
  return Number.isInteger(number) ? BigInt(number) : number;
}

/** The nearest number to all digits, which is the one that they were read from. */
function secondsOf(milliseconds: number, later: string): number {
  const units = BigInt(milliseconds) * 10n ** BigInt(later.length) + BigInt(later || 0);
  return Number(`${units}e-${3 + later.length}`);
}

/** Texts without a zone are UTC, as SQLite's own functions write them. */
function decodeInstant(stored: SqlValue, form: InstantForm | undefined): string {
  if (typeof stored === 'number') {
    const milliseconds = millisecondsOf(stored, form ?? formOfNumber(stored));
    return DateTime.fromMillis(milliseconds, { zone: 'utc' }).toISO() ?? String(stored);
  }
  const text = String(stored);
  if (canonicalText.test(text)) return text;
  if (sqlText.test(text)) return `${text.replace(' ', 'T')}.000Z`;
  const instant = DateTime.fromISO(text.replace(' ', 'T'), { zone: 'utc' });
  // SQLite, which compares by the millisecond, rounds: so does what is shown.
  return instant.plus(/[.,]\d{3}[5-9]/.test(text) ? 1 : 0).toISO() ?? text;
}

/** The same with every digit behind the second that is stored, and never rounded. */
function decodeEveryDigit(stored: SqlValue, form: InstantForm | undefined): string {
  if (typeof stored === 'number') {
    const seconds = (form ?? formOfNumber(stored)) === 'seconds' ? parseDecimal(stored) : undefined;
    return seconds && seconds.scale > 3 ? instantOfSeconds(seconds) : decodeInstant(stored, form);
  }
  const instant = DateTime.fromISO(String(stored).replace(' ', 'T'), { zone: 'utc' }).toISO();
  return instant?.replace(/Z$/, `${laterDigits(stored)}Z`) ?? decodeInstant(stored, form);
}

function instantOfSeconds({ units, scale }: ExactDecimal): string {
  const perMillisecond = 10n ** BigInt(scale - 3);
  // Digits go on from the millisecond before, also before 1970.
  const later = ((units % perMillisecond) + perMillisecond) % perMillisecond;
  const instant = DateTime.fromMillis(Number((units - later) / perMillisecond), { zone: 'utc' }).toISO() ?? '';
  return instant.replace(/Z$/, `${String(later).padStart(scale - 3, '0')}Z`);
}

function decodeJson(stored: SqlValue): unknown {
  if (typeof stored === 'bigint') return parseExactly(String(stored));
  if (typeof stored !== 'string') return stored;
  try {
    return parseStoredDocument(stored);
  } catch {
    // SQLite lets a JSON column hold any text: it is shown as it is.
    return stored;
  }
}

/** SQLite lets a text column hold a value of any type. */
function decodeLooseText(stored: SqlValue): unknown {
  return stored instanceof Uint8Array ? new TextDecoder().decode(stored) : String(stored);
}

/** A value of a column that has no type, as the text that records show: bytes as a data URI. */
export function shownText(stored: SqlValue): string {
  return stored instanceof Uint8Array ? `${bytesPrefix}${Buffer.from(stored).toString('base64')}` : String(stored);
}

const bytesPrefix = 'data:application/octet-stream;base64,';

/** A text for a column that has no type, as a value of the kind that is there: SQLite keeps the kind with each value. */
export function keptForm(stored: SqlValue, value: SqlValue): SqlValue {
  if (typeof value !== 'string' || typeof stored === 'string' || stored === null) return value;
  if (stored instanceof Uint8Array) {
    return value.startsWith(bytesPrefix) ? Buffer.from(value.slice(bytesPrefix.length), 'base64') : value;
  }
  if (/^-?\d+$/.test(value) && String(BigInt(value)) === value) {
    const whole = BigInt(value);
    return BigInt.asIntN(64, whole) === whole ? whole : value;
  }
  return value !== '' && String(Number(value)) === value && Number.isFinite(Number(value)) ? Number(value) : value;
}
