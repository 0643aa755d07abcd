import type { SqlValue } from '#kernel/ports/sql-row';
import {
  decimalText,
  divideDecimal,
  type ExactDecimal,
  parseDecimal,
  plainDecimal,
  trimDecimal,
} from '../../query/exact-decimal.ts';

/** Digits that an average has beyond those of what it is made of. */
const averageDigits = 6;

/** A stored number with at least the digits its column declares; a float is taken with exactly those. What is no number counts 0, as in every sum of SQLite. */
export function storedDecimal(value: SqlValue, declaredScale: number): ExactDecimal {
  const isDeclaredFloat = typeof value === 'number' && declaredScale > 0;
  const { units, scale } = parseDecimal(isDeclaredFloat ? value.toFixed(declaredScale) : value) ?? {
    units: 0n,
    scale: 0,
  };
  const kept = Math.max(scale, declaredScale);
  return { units: units * 10n ** BigInt(kept - scale), scale: kept };
}

/** Rounded half away from zero; zeros beyond the scale of the column are left away. */
export function averageText(sum: ExactDecimal, count: number): string {
  return decimalText(trimDecimal(divideDecimal(sum, BigInt(count), sum.scale + averageDigits), sum.scale));
}

/** A text whose order, character by character, is that of the numbers: SQLite has no number that holds their digits. */
export function rankText(decimal: string): string {
  const [, sign, whole = '', fraction = ''] = /^(-?)0*(\d*)\.?(\d*?)0*$/.exec(decimal) ?? [];
  const digits = `${String(whole.length).padStart(5, '0')}${whole}${fraction}`;
  // The greater one of two negative numbers has the smaller digits, or fewer of them.
  return sign === '-' ? `0${digits.replaceAll(/\d/g, (digit) => String(9 - Number(digit)))}:` : `1${digits}`;
}

/** The same of a number in any of its forms. */
export function exactRank(number: unknown): string {
  return rankText(decimalText(plainDecimal(number)));
}
