import { DateTime } from 'luxon';
import type { SqlValue } from '#kernel/ports/sql-row';
import { writeRefused } from '#node/database/database-errors';
import { bytesOfText } from '../../query/bytes-of-text.ts';
import type { ColumnSchema } from '../../query/collection-schema.ts';
import { compareDecimals, parseDecimal, plainDecimal, trimDecimal } from '../../query/exact-decimal.ts';
import { meansMillisecond } from '../../query/instant-precision.ts';
import { documentText, nullDocument, parseStoredDocument } from '../../query/stored-document.ts';
import { digitsOf, fractionDigitsOf, nativeTypeOf, storageOf } from './mariadb-native-type.ts';
import { isZeroDate } from './mariadb-zero-dates.ts';

/** How a stored value of the column is read; never called with `null`. */
export function mariadbDecoder(column: ColumnSchema): (stored: SqlValue) => unknown {
  const storage = storageOf(column);
  switch (column.type) {
    case 'Number':
      // An expression may keep more digits than its numbers have.
      if (column.isExact && column.scale !== undefined && column.scale < digitsOf(column).scale) {
        const { scale } = column;
        return (stored) => withoutTrailingZeros(String(stored), scale);
      }
      if (column.isExact) return (stored) => (stored instanceof Uint8Array ? String(bigIntOf(stored)) : String(stored));
      if (storage === 'float') return (stored) => shortestSingle(Number(stored));
      return (stored) => Number(stored instanceof Uint8Array ? bigIntOf(stored) : stored);
    case 'Boolean':
      return (stored) => (stored instanceof Uint8Array ? bigIntOf(stored) !== 0n : Number(stored) !== 0);
    case 'Date':
      if (column.isPrimaryKey) return decodeKeyInstant;
      return unlessZero(column.hasEveryDigit ? decodeKeyInstant : decodeInstant);
    case 'Dateonly':
      return column.isPrimaryKey ? decodeDay : unlessZero(decodeDay);
    case 'Time':
      return decodeTime;
    case 'Json':
      return column.hasEveryDigit ? (stored) => decodeJson(stored) ?? nullDocument : decodeJson;
    case 'Binary':
      return (stored) => (typeof stored === 'string' ? new TextEncoder().encode(stored) : stored);
    default:
      return (stored) => (stored instanceof Uint8Array ? new TextDecoder().decode(stored) : String(stored));
  }
}

/** How a validated value of the column is stored. */
export function encodeForMariadb(column: ColumnSchema, value: unknown): SqlValue {
  if (value === null || value === undefined) return null;
  switch (column.type) {
    case 'Boolean':
      return value === true ? 1 : 0;
    case 'Date':
      return instantText(value)
        .slice(0, 20 + fractionDigitsOf(column))
        .replace(/\.$/, '');
    case 'Time':
      return timeText(value);
    case 'Json':
      return documentText(value);
    case 'Number':
      if (storageOf(column) === 'bit') return bitBytes(column, value);
      // MySQL takes later texts of a statement for numbers once it was given one, and these lose digits.
      return column.isExact ? String(value) : numberOrText(value);
    case 'Binary':
      return value instanceof Uint8Array ? value : bytesOfText(String(value));
    default:
      return typeof value === 'object' ? JSON.stringify(value) : String(value).toWellFormed();
  }
}

/**
 * An instant as the session reads it: `2024-03-31 01:30:00.123456`, in UTC. What lies outside of the years that a
 * DATETIME has becomes the first or the last of its instants.
 */
export function instantText(value: unknown): string {
  const text = value instanceof Date ? value.toISOString() : String(value);
  const instant = DateTime.fromISO(text, { zone: 'utc' }).toUTC();
  if (instant.year > 9999) return '9999-12-31 23:59:59.999999';
  if (instant.year < 0) return '0000-01-01 00:00:00.000000';
  // Luxon stops at milliseconds; the digits of the text go on.
  const fraction = /[.,](\d+)/.exec(text)?.[1]?.slice(0, 6) ?? '';
  return `${instant.toFormat('yyyy-MM-dd HH:mm:ss')}.${fraction.padEnd(6, '0')}`;
}

/** The last instant of the millisecond that a value means; the value itself where it has more digits. */
export function lastInstantText(value: unknown): string {
  const first = instantText(value);
  return meansMillisecond(value) ? first.replace(/000$/, '999') : first;
}

/** A time of day without the zone that it may be written with. */
export function timeText(value: unknown): string {
  return /^-?\d+:\d{2}(?::\d{2}(?:\.\d{1,6})?)?/.exec(String(value))?.[0] ?? String(value);
}

function numberOrText(value: unknown): SqlValue {
  return typeof value === 'number' || typeof value === 'bigint' ? value : String(value);
}

/**
 * A bit string is stored from bytes; a text would be taken for its characters.
 *
 * @throws `DATABASE_VALUE_REFUSED` for what does not fit: cut to these bytes, it would be another number.
 */
function bitBytes(column: ColumnSchema, value: unknown): Uint8Array {
  const [bits = 1] = nativeTypeOf(column).numbers;
  const end = 2n ** BigInt(bits);
  const number = parseDecimal(value);
  const isInside = number && number.units >= 0n && compareDecimals(number, { units: end, scale: 0 }) < 0;
  const { units, scale } = trimDecimal(plainDecimal(isInside ? value : 0), 0);
  if (!isInside || scale > 0) {
    const problem = `is not a whole number from 0 to ${end - 1n}, which is what its column holds`;
    throw writeRefused({ code: 'DATABASE_VALUE_REFUSED', problem, fields: [column.name] });
  }
  return Buffer.from(units.toString(16).padStart(Math.ceil(bits / 8) * 2, '0'), 'hex');
}

function bigIntOf(bytes: Uint8Array): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
}

/** A FLOAT comes as the double that lies exactly on it: 0.10000000149 where 0.1 was meant. */
function shortestSingle(value: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === Math.fround(value)) return short;
  }
  return value;
}

const sqlInstant = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2})(?:\.(\d+))?$/;

/** The zero date is what applications wrote where there was none. */
function unlessZero(decode: (stored: SqlValue) => string): (stored: SqlValue) => string | null {
  return (stored) => (isZeroDate(String(stored)) ? null : decode(stored));
}

function decodeDay(stored: SqlValue): string {
  return String(stored).slice(0, 10);
}

/** An instant that cannot be, such as `2024-00-00 00:00:00`, is shown as it is stored. */
function decodeInstant(stored: SqlValue): string {
  const text = String(stored);
  const [, day, time, fraction = ''] = sqlInstant.exec(text) ?? [];
  if (day === undefined || day.endsWith('-00') || day.includes('-00-')) return text;
  return `${day}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
}

/** The same with every digit behind the second that there is: by less a key finds no record. */
function decodeKeyInstant(stored: SqlValue): string {
  const [, digits = ''] = /\.\d{3}(\d*?)0*$/.exec(String(stored)) ?? [];
  return decodeInstant(stored).replace(/Z$/, `${digits}Z`);
}

/** The same of a default, `undefined` when it is not an instant. */
export function encodedInstant(text: string): string | undefined {
  const read = decodeInstant(text);
  return read.endsWith('Z') ? read : undefined;
}

function decodeTime(stored: SqlValue): string {
  const [, time, fraction = ''] = /^(-?\d+:\d{2}:\d{2})(?:\.(\d+))?$/.exec(String(stored)) ?? [];
  if (time === undefined) return String(stored);
  const kept = fraction.replace(/0+$/, '');
  return kept === '' ? time : `${time}.${kept}`;
}

function decodeJson(stored: SqlValue): unknown {
  const text = stored instanceof Uint8Array ? new TextDecoder().decode(stored) : stored;
  if (typeof text !== 'string') return text;
  try {
    return parseStoredDocument(text);
  } catch {
    // A text that was stored before its column held JSON is shown as it is.
    return text;
  }
}

/** The digits of a decimal without zeros at the end, except for those that are kept. */
export function withoutTrailingZeros(digits: string, keptScale: number): string {
  const [whole = '', fraction = ''] = digits.split('.');
  const kept = fraction.slice(0, keptScale) + fraction.slice(keptScale).replace(/0+$/, '');
  return kept === '' ? whole : `${whole}.${kept}`;
}
