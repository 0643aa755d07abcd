import { DateTime } from 'luxon';
import type { SqlValue } from '#kernel/ports/sql-row';
import { bytesOfText } from '../../query/bytes-of-text.ts';
import type { ColumnSchema } from '../../query/collection-schema.ts';
import { parseDecimal, trimDecimal } from '../../query/exact-decimal.ts';
import { isListType } from '../../query/operators.ts';
import { documentText, nullDocument, parseStoredDocument } from '../../query/stored-document.ts';
import { type ArrayItem, readArray, writeArray } from './postgres-arrays.ts';
import { familyOf, itemColumn, type TypeFamily } from './postgres-native-type.ts';

const inUtc = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})(?:\.(\d+))?(?:\+00)?$/;
const general =
  /^(\d{4,})-(\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})(?:\.(\d+))?(?:([+-])(\d{2})(?::?(\d{2}))?(?::?(\d{2}))?)?( BC)?$/;

/** An instant as records have it: ISO 8601 in UTC with milliseconds. What is not such an instant (`infinity`) stays as it is. */
export function readInstant(text: string): string {
  const [, day, time, fraction] = inUtc.exec(text) ?? [];
  if (day !== undefined) return `${day}T${time}.${milliseconds(fraction)}Z`;
  return readUnusualInstant(text);
}

/** The same with every digit behind the second that there is: by less a key finds no record. */
function readKeyInstant(text: string): string {
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
  const isBeforeChrist = instant.year < 1;
  const year = isBeforeChrist ? 1 - instant.year : instant.year;
  const day = `${String(year).padStart(4, '0')}-${instant.toFormat('MM-dd')}`;
  return `${day}T${instant.toFormat('HH:mm:ss')}.${fraction.padEnd(3, '0')}Z${isBeforeChrist ? ' BC' : ''}`;
}

type Read = (text: string) => unknown;

/** How a stored value of the column is read from the text of the database; never called with `null`. */
export function postgresDecoder(column: ColumnSchema): (stored: SqlValue) => unknown {
  const read = readerOf(column);
  return (stored) => read(String(stored));
}

function readerOf(column: ColumnSchema): Read {
  if (isListType(column.type)) {
    const readItem = readerOf(itemColumn(column));
    return (text) => readArray(text).map((item) => readNested(item, readItem));
  }
  if (column.type === 'Number') return column.isExact ? readExact(familyOf(column)) : readFloat;
  if (column.type === 'Date' && (column.isPrimaryKey || column.hasEveryDigit)) return readKeyInstant;
  const read = readers[familyOf(column)] ?? ((text: string) => text);
  return column.type === 'Json' && column.hasEveryDigit ? (text) => read(text) ?? nullDocument : read;
}

function readNested(item: ArrayItem, read: Read): unknown {
  if (item === null) return null;
  return typeof item === 'string' ? read(item) : item.map((inner) => readNested(inner, read));
}

const readers: Partial<Record<TypeFamily, Read>> = {
  boolean: (text) => text === 't' || text === 'true',
  binary: readBytes,
  json: parseStoredDocument,
  point: (text) => text.slice(1, -1),
  'padded-text': (text) => text.replace(/ +$/, ''),
  time: readTime,
  timetz: readTime,
  timestamp: readInstant,
  timestamptz: readInstant,
};

/** JSON has no NaN and no infinity, so that records have them as texts. */
function readFloat(text: string): number | string {
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}

/** Digits as they are. Lists of money come in the form of the server's country; only the plain form is read. */
function readExact(family: TypeFamily): Read {
  return family === 'money' ? (text) => text.replaceAll(/[^\d.-]/g, '') : (text) => text;
}

function readBytes(text: string): Uint8Array {
  if (text.startsWith('\\x')) return new Uint8Array(Buffer.from(text.slice(2), 'hex'));
  // The older form, which a server may be set to: printable bytes as they are, the others in octal.
  const bytes: number[] = [];
  for (let position = 0; position < text.length; position++) {
    if (text[position] !== '\\') bytes.push(text.charCodeAt(position));
    else if (text[position + 1] === '\\') {
      bytes.push(0x5c);
      position += 1;
    } else {
      bytes.push(Number.parseInt(text.slice(position + 1, position + 4), 8));
      position += 3;
    }
  }
  return Uint8Array.from(bytes);
}

/** How a validated value of the column is bound, in a write or a comparison. */
export function encodeForPostgres(column: ColumnSchema, value: unknown): SqlValue {
  if (value === null || value === undefined) return null;
  if (isListType(column.type)) {
    const item = itemColumn(column);
    return writeArray((Array.isArray(value) ? value : [value]).map((one) => arrayItem(item, one)));
  }
  switch (familyOf(column)) {
    case 'json':
      return documentText(value);
    case 'timestamp':
      // Read as a time without a zone the sign would be passed over; better that it is not there.
      return writeInstant(value).replace('Z', '');
    case 'timestamptz':
      return writeInstant(value);
    case 'point':
      return `(${String(value)})`;
    case 'binary':
      return value instanceof Uint8Array ? value : bytesOfText(String(value));
    case 'boolean':
      return value === true;
    case 'date':
      // ISO 8601 has a year 0, which PostgreSQL calls 1 BC.
      return String(value).replace(/^0000-(.*)$/, '0001-$1 BC');
    default:
      return typeof value === 'object' ? JSON.stringify(value) : String(value);
  }
}

function arrayItem(column: ColumnSchema, value: unknown): ArrayItem {
  // A list in a list of documents is a document.
  if (Array.isArray(value) && column.type !== 'Json') return value.map((inner) => arrayItem(column, inner));
  const encoded = encodeForPostgres(column, value);
  if (encoded === null) return null;
  return encoded instanceof Uint8Array ? `\\x${Buffer.from(encoded).toString('hex')}` : String(encoded);
}

const plainInteger = /^[+-]?\d+$/;

/** A number that an index on integers cannot be asked for: not written as a whole one, or one of more than 64 bits. */
function isBeyondBigint(value: unknown): boolean {
  const whole = plainInteger.test(String(value).trim()) ? wholeNumber(value) : undefined;
  return whole === undefined || !isWithin(whole, ranges.bigint);
}

/** A number without a fraction; `undefined` also for one with more digits than any column has. */
export function wholeNumber(value: unknown): bigint | undefined {
  const number = parseDecimal(value);
  if (!number) return undefined;
  const { units, scale } = trimDecimal(number, 0);
  return scale > 0 || scale < -longestInteger ? undefined : units * 10n ** BigInt(-scale);
}

const longestInteger = 20;

const ranges = {
  smallint: [-(2n ** 15n), 2n ** 15n - 1n],
  integer: [-(2n ** 31n), 2n ** 31n - 1n],
  bigint: [-(2n ** 63n), 2n ** 63n - 1n],
  oid: [0n, 2n ** 32n - 1n],
} as const satisfies Readonly<Record<string, readonly [bigint, bigint]>>;

/** The least and the greatest number of a column of integers. */
export function integerRange({ nativeType }: ColumnSchema): readonly [bigint, bigint] {
  return ranges[nativeType as keyof typeof ranges];
}

function isWithin(value: bigint, [least, greatest]: readonly [bigint, bigint]): boolean {
  return value >= least && value <= greatest;
}

/**
 * An item of a list as the type of its column reads it, `5` for `5.0`; `undefined` for one that no column of the type holds, and
 * that PostgreSQL would refuse to compare with.
 */
export function comparedItem(column: ColumnSchema, item: unknown, isWidened = false): unknown {
  if (item === null) return null;
  if (Array.isArray(item) && column.type !== 'Json') {
    const items = item.map((inner: unknown) => comparedItem(column, inner, isWidened));
    return items.includes(undefined) ? undefined : items;
  }
  if (familyOf(column) !== 'integer') return isUnstorable(item) ? undefined : item;
  const whole = wholeNumber(item);
  const range = isWidened ? ranges.bigint : integerRange(column);
  return whole !== undefined && isWithin(whole, range) ? whole : undefined;
}

/** PostgreSQL has no text with a NUL in it, and takes none even to compare with. */
function isUnstorable(value: unknown): boolean {
  return typeof value === 'string' && value.includes('\0');
}

/** The part of a value that changes the SQL of its condition. */
export function postgresVariantOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return value.includes(null) ? 'null' : '';
  if (isUnstorable(value)) return 'unstorable';
  const isNumber =
    typeof value === 'number' || typeof value === 'bigint' || /^[+-]?[\d.]+(?:e[+-]?\d+)?$/i.test(String(value));
  return isNumber && isBeyondBigint(value) ? 'beyond-bigint' : '';
}
