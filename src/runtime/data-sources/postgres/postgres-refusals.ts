import type { ColumnSchema } from '../../query/collection-schema.ts';
import { compareDecimals, parseDecimal, roundDecimal } from '../../query/exact-decimal.ts';
import { isListType } from '../../query/operators.ts';
import type { Refusal } from '../sql/sql-dialect.ts';
import { familyOf, itemColumn } from './postgres-native-type.ts';
import { integerRange, wholeNumber } from './postgres-values.ts';

/** Why PostgreSQL may have refused a validated value of the column. It tells the kind of the fault, and no column. */
export function postgresRefusalOf(column: ColumnSchema, value: unknown): Refusal {
  if (value === null) return 'none';
  if (isListType(column.type)) {
    const item = itemColumn(column);
    const items: readonly unknown[] = Array.isArray(value) ? value.flat(Number.POSITIVE_INFINITY) : [value];
    const refusals = items.map((one) => postgresRefusalOf(item, one));
    return (
      refusals.find((refusal) => typeof refusal === 'object') ?? (refusals.includes('unknown') ? 'unknown' : 'none')
    );
  }
  switch (familyOf(column)) {
    case 'integer':
      return refusalOfInteger(column, value);
    case 'numeric':
      return isBeyondDigits(column, value)
        ? { problem: `is out of the range of its column, which is ${column.nativeType}` }
        : 'none';
    case 'binary':
    case 'boolean':
    case 'citext':
    case 'enum':
    case 'json':
    case 'padded-text':
    case 'text':
    case 'uuid':
      return 'none';
    default:
      return 'unknown';
  }
}

function refusalOfInteger(column: ColumnSchema, value: unknown): Refusal {
  const [least, greatest] = integerRange(column);
  const whole = wholeNumber(value);
  if (whole !== undefined && whole >= least && whole <= greatest) return 'none';
  return { problem: `is not a whole number from ${least} to ${greatest}, which is what its column holds` };
}

/** Whether a number, rounded as its column does, has more digits before the point than it holds. */
function isBeyondDigits({ nativeType }: ColumnSchema, value: unknown): boolean {
  const [, precision, scale] = /^numeric\((\d+),(-?\d+)\)/.exec(nativeType) ?? [];
  if (precision === undefined) return false;
  const number = parseDecimal(value);
  // Such a column has no infinity, which is what is left.
  if (!number) return value !== 'NaN';
  const end = { units: 1n, scale: Number(scale) - Number(precision) };
  const magnitude = number.units < 0n ? { ...number, units: -number.units } : number;
  // What is far outside is not written out to be rounded.
  return compareDecimals(magnitude, end) >= 0 || compareDecimals(roundDecimal(magnitude, Number(scale)), end) >= 0;
}
