import { sql } from 'kysely';
import type { SqlValue } from '#kernel/ports/sql-row';
import {
  decimalText,
  divideDecimal,
  type ExactDecimal,
  parseDecimal,
  plainDecimal,
  trimDecimal,
} from '../../query/exact-decimal.ts';
import { type ArithmeticOperator, arithmeticOf, type Expression } from '../../query/expression.ts';
import type { Sql } from '../sql/sql-dialect.ts';
import type { ShortForm, SqlExpressions } from '../sql/sql-expressions.ts';

/** Digits that an average has beyond those of what it is made of. */
const averageDigits = 6;

/** A stored number with at least the digits its column declares; a float is taken with exactly those. What is not a number counts 0, as in every sum of SQLite. */
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

type FieldLookup = Parameters<NonNullable<SqlExpressions['shortForm']>>[1];

/** An exact number whose digits a double holds: SQLite can reckon with it itself. */
interface SmallDecimal {
  readonly sql: Sql;
  /** Digits before the point, and behind it. */
  readonly whole: number;
  readonly scale: number;
}

/** Digits that a double certainly holds. */
const heldDigits = 15;

/**
 * Arithmetic on columns that are declared with few digits, in SQLite's own numbers, rounded to the digits that the result
 * has: much quicker than by digits.
 */
export function smallDecimalForm(expression: Expression, columnAt: FieldLookup): ShortForm | undefined {
  if (!arithmeticOf(expression)) return undefined;
  const found = smallDecimal(expression, columnAt);
  if (!found) return undefined;
  const { whole, scale } = found;
  return {
    sql: found.sql,
    nativeType: `decimal(${whole + scale},${scale})`,
    typed: (number) => sql`cast(${number} as numeric)`,
  };
}

function smallDecimal(expression: Expression, columnAt: FieldLookup): SmallDecimal | undefined {
  if ('field' in expression) {
    const { column, reference } = columnAt(expression.field);
    const [, digits, scale] = /^\s*(?:decimal|numeric)\s*\(\s*(\d+)\s*,\s*(\d+)\s*\)/i.exec(column.nativeType) ?? [];
    if (digits === undefined || !column.isExact) return undefined;
    return held({ sql: reference, whole: Number(digits) - Number(scale), scale: Number(scale) });
  }
  if ('value' in expression) {
    if (typeof expression.value !== 'number' || !parseDecimal(expression.value)) return undefined;
    const { units, scale } = plainDecimal(expression.value);
    const whole = Math.max(0, String(units < 0n ? -units : units).length - scale);
    return held({ sql: sql.raw(`(${expression.value})`), whole, scale });
  }
  const { operator, operands = [] } = arithmeticOf(expression) ?? {};
  if (operator === undefined || operator === 'divide') return undefined;
  const [first, ...others] = operands.map((operand) => smallDecimal(operand, columnAt));
  return others.reduce((a, b) => a && b && held(combined(operator, a, b)), first);
}

function combined(operator: Exclude<ArithmeticOperator, 'divide'>, a: SmallDecimal, b: SmallDecimal): SmallDecimal {
  if (operator === 'multiply') {
    return { sql: sql`(${a.sql} * ${b.sql})`, whole: a.whole + b.whole, scale: a.scale + b.scale };
  }
  const sign = operator === 'add' ? sql`+` : sql`-`;
  const whole = Math.max(a.whole, b.whole) + 1;
  return { sql: sql`(${a.sql} ${sign} ${b.sql})`, whole, scale: Math.max(a.scale, b.scale) };
}

function held(number: SmallDecimal): SmallDecimal | undefined {
  if (number.whole + number.scale > heldDigits) return undefined;
  return { ...number, sql: sql`round(${number.sql}, ${sql.lit(number.scale)})` };
}
