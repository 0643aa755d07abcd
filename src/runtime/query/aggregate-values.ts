import type { AggregateOperation } from './aggregation.ts';
import type { ColumnSchema } from './collection-schema.ts';
import {
  addDecimals,
  decimalText,
  divideDecimal,
  type ExactDecimal,
  parseDecimal,
  trimDecimal,
} from './exact-decimal.ts';
import { comparableOf, compareValues } from './value-order.ts';

/** Digits that the average of exact numbers has beyond those of the numbers. */
const averageDigits = 6;

/** An aggregate of values without nulls; `null` when there are no values, except for `Count`. */
export function aggregateValues(
  operation: AggregateOperation,
  values: readonly unknown[],
  column: ColumnSchema | undefined,
): unknown {
  if (operation === 'Count') return values.length;
  if (values.length === 0 || !column) return null;
  switch (operation) {
    case 'Sum':
      return column.isExact ? decimalText(exactSum(values)) : inexactSum(values);
    case 'Avg':
      return column.isExact ? exactAverage(values) : inexactSum(values) / values.length;
    case 'Min':
      return extreme(values, column, -1);
    case 'Max':
      return extreme(values, column, 1);
  }
}

/** The sum with as many digits after the point as the number with the most. */
function exactSum(values: readonly unknown[]): ExactDecimal {
  return values
    .map((value) => parseDecimal(value) ?? { units: 0n, scale: 0 })
    .reduce(addDecimals, { units: 0n, scale: 0 });
}

function exactAverage(values: readonly unknown[]): string {
  return averageOfSum(exactSum(values), values.length);
}

/** The average of `count` exact numbers, from their sum. */
export function averageOfSum(sum: ExactDecimal, count: number): string {
  return decimalText(trimDecimal(divideDecimal(sum, BigInt(count), sum.scale + averageDigits), sum.scale));
}

/** Neumaier's summation: the error does not grow with the number of values, nor depend on their order. */
function inexactSum(values: readonly unknown[]): number {
  let sum = 0;
  let lost = 0;
  for (const value of values) {
    const term = Number(value);
    const next = sum + term;
    lost += Math.abs(sum) >= Math.abs(term) ? sum - next + term : term - next + sum;
    sum = next;
  }
  // Lost digits do not matter once the sum is infinite.
  return Number.isFinite(sum) ? sum + lost : sum;
}

function extreme(values: readonly unknown[], column: ColumnSchema, direction: 1 | -1): unknown {
  const comparable = comparableOf(column.type);
  return values.reduce((best, value) =>
    compareValues(comparable(value), comparable(best)) * direction > 0 ? value : best,
  );
}
