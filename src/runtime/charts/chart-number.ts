import type { ChartNumber } from '../customizer/chart-definition.ts';
import {
  addDecimals,
  compareDecimals,
  decimalText,
  type ExactDecimal,
  parseDecimal,
  trimDecimal,
} from '../query/exact-decimal.ts';

/** The digits of a number. Throws a `TypeError` for anything else. */
export function chartDecimal(value: ChartNumber): ExactDecimal {
  const decimal = parseDecimal(value);
  if (decimal) return decimal;
  throw new TypeError(`A chart needs numbers, and ${JSON.stringify(String(value))} is none.`);
}

/** A number of JSON where that is exact, else its digits as text. */
export function chartNumber(decimal: ExactDecimal): number | string {
  const text = decimalText(trimDecimal(decimal, 0));
  const number = Number(text);
  const rounded = parseDecimal(number);
  return rounded && compareDecimals(rounded, decimal) === 0 ? number : text;
}

/** The sum of the values; `null` when all of them are missing. */
export function sumOfPresent(values: readonly (ChartNumber | null | undefined)[]): number | string | null {
  const present = values.filter((value) => value !== null && value !== undefined);
  if (present.length === 0) return null;
  return chartNumber(present.map(chartDecimal).reduce(addDecimals));
}
