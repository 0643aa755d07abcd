import { Decimal128 } from 'mongodb';
import {
  addDecimals,
  decimalText,
  divideDecimal,
  type ExactDecimal,
  parseDecimal,
  trimDecimal,
} from '#runtime/query/exact-decimal';

/**
 * A `long` or a `decimal` for mingo, which knows floating-point numbers only. It compares objects of one class by their texts: this
 * one stands in the order of the numbers, and is the same for equal ones.
 */
export class ExactNumber {
  readonly order: string;
  readonly #decimal: ExactDecimal;
  readonly #isLong: boolean;

  constructor(decimal: ExactDecimal, isLong = false) {
    this.#decimal = decimal;
    this.#isLong = isLong;
    this.order = orderOf(trimDecimal(decimal, Number.NEGATIVE_INFINITY));
  }

  static of(value: unknown): ExactNumber {
    if (value instanceof ExactNumber) return value;
    const decimal = parseDecimal(typeof value === 'object' ? String(value) : value);
    return new ExactNumber(decimal ?? { units: 0n, scale: 0 }, typeof value === 'bigint');
  }

  plus(other: ExactNumber): ExactNumber {
    return new ExactNumber(addDecimals(this.#decimal, other.#decimal));
  }

  /** To 40 digits behind the point. */
  dividedBy(divisor: ExactNumber): ExactNumber {
    return new ExactNumber(divideDecimal(this.#decimal, BigInt(decimalText(divisor.#decimal)), 40));
  }

  toString(): string {
    return this.order;
  }

  toBson(): Decimal128 | bigint {
    if (this.#isLong) return BigInt(decimalText(this.#decimal));
    return Decimal128.fromStringWithRounding(decimalText(this.#decimal));
  }
}

/** Sign, number of digits before the point, digits; those of negative numbers turned round. */
function orderOf({ units, scale }: ExactDecimal): string {
  if (units === 0n) return '1';
  const digits = String(units < 0n ? -units : units);
  const text = `${String(digits.length - scale + 50_000).padStart(5, '0')}${digits}`;
  if (units > 0n) return `2${text}`;
  return `0${text.replaceAll(/\d/g, (digit) => String(9 - Number(digit)))}~`;
}
