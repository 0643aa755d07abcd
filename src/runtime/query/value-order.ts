import { DateTime } from 'luxon';
import { canonicalJson } from '#kernel/json/canonical-json';
import { bytesOfText } from './bytes-of-text.ts';
import type { ColumnType, PrimitiveType } from './column-type.ts';
import { compareDecimals, type ExactDecimal, parseDecimal, trimDecimal } from './exact-decimal.ts';

/** A value in the form in which values of its type are compared. */
export type ComparableValue = number | bigint | string | ExactDecimal;

/** The comparable form of a value that is not `null`, whichever of the accepted forms it has. */
export function comparableOf(type: ColumnType): (value: unknown) => ComparableValue {
  return typeof type === 'string' ? comparables[type] : canonicalJson;
}

/** Order of two comparable values of one type: numbers by size, the infinite outermost and NaN last; texts by code point. */
export function compareValues(a: ComparableValue, b: ComparableValue): number {
  if (typeof a === 'string' && typeof b === 'string') return compareCodePoints(a, b);
  const outer = outerRank(a) - outerRank(b);
  if (outer !== 0 || outerRank(a) !== 0) return outer;
  if (typeof a === 'object' || typeof b === 'object') return compareDecimals(decimalOf(a), decimalOf(b));
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A text that is the same for two comparable values exactly when they are equal. */
export function identityOf(value: ComparableValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint' || outerRank(value) !== 0) return String(value);
  const { units, scale } = trimDecimal(decimalOf(value), Number.NEGATIVE_INFINITY);
  return units === 0n ? '0' : `${units}e${-scale}`;
}

/** The place of a number that is not a decimal: before all others, or behind them. */
function outerRank(value: ComparableValue): number {
  if (typeof value !== 'number' || Number.isFinite(value)) return 0;
  return Number.isNaN(value) ? 2 : Math.sign(value);
}

const comparables: Readonly<Record<PrimitiveType, (value: unknown) => ComparableValue>> = {
  Binary: (value) => Buffer.from(bytesOf(value)).toString('hex'),
  Boolean: (value) => (value === true ? 1 : 0),
  Date: instantOf,
  Dateonly: String,
  Enum: String,
  Json: canonicalJson,
  Number: (value) => (typeof value === 'number' ? value : (parseDecimal(value) ?? Number(value))),
  Point: (value) => String(value).split(',').map(Number).join(','),
  String,
  Time: timeOf,
  Uuid: (value) => String(value).toLowerCase(),
};

function decimalOf(value: ComparableValue): ExactDecimal {
  return typeof value === 'object' ? value : (parseDecimal(value) ?? { units: 0n, scale: 0 });
}

/** Nanoseconds since 1970, NaN where there is no instant to be read. A text without a zone is UTC; PostgreSQL has infinity. */
function instantOf(value: unknown): bigint | number {
  const text = String(value);
  if (text === 'infinity') return Number.POSITIVE_INFINITY;
  if (text === '-infinity') return Number.NEGATIVE_INFINITY;
  const milliseconds = value instanceof Date ? value.getTime() : DateTime.fromISO(text, { zone: 'utc' }).toMillis();
  if (Number.isNaN(milliseconds)) return milliseconds;
  if (value instanceof Date) return BigInt(milliseconds) * 1_000_000n;
  const fraction = /[.,](\d+)/.exec(text)?.[1] ?? '';
  return BigInt(milliseconds) * 1_000_000n + BigInt(fraction.slice(3, 9).padEnd(6, '0'));
}

/** The millisecond that an instant is in. */
export function millisecondOf(instant: unknown): bigint | number {
  const nanoseconds = instantOf(instant);
  if (typeof nanoseconds !== 'bigint') return nanoseconds;
  const beyond = ((nanoseconds % 1_000_000n) + 1_000_000n) % 1_000_000n;
  return (nanoseconds - beyond) / 1_000_000n;
}

/** Nanoseconds since midnight, negative where a duration is. A time of day has no zone. */
function timeOf(value: unknown): bigint | string {
  const [, sign, hours, minutes = '0', seconds = '0', fraction = ''] =
    /^(-?)(\d+):(\d{2})(?::(\d{2})(?:\.(\d+))?)?/.exec(String(value)) ?? [];
  if (hours === undefined) return String(value);
  const whole = (BigInt(hours) * 60n + BigInt(minutes)) * 60n + BigInt(seconds);
  const nanoseconds = whole * 1_000_000_000n + BigInt(fraction.slice(0, 9).padEnd(9, '0'));
  return sign === '-' ? -nanoseconds : nanoseconds;
}

function bytesOf(value: unknown): Uint8Array {
  return value instanceof Uint8Array ? value : bytesOfText(String(value));
}

/** Order of two texts by code point, which is the order of their UTF-8 bytes: negative, zero or positive. */
export function compareCodePoints(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let index = 0; index < shared; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** Surrogates stand for characters after all of those that take one code unit. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

export function codePointLength(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}
