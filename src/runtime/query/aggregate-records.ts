import type { AggregateOperation, AggregateRow, Aggregation, AggregationGroup } from './aggregation.ts';
import type { ColumnSchema } from './collection-schema.ts';
import { firstDayOfBucket } from './date-parts.ts';
import {
  addDecimals,
  decimalText,
  divideDecimal,
  type ExactDecimal,
  parseDecimal,
  trimDecimal,
} from './exact-decimal.ts';
import type { ColumnLookup } from './parse-condition-tree.ts';
import { valueReader } from './record-path.ts';
import type { RecordData } from './record-query.ts';
import { compareNullable } from './sort-records.ts';
import { type ComparableValue, comparableOf, compareValues, identityOf } from './value-order.ts';

interface PlannedGroup {
  readonly field: string;
  readonly groupOf: (record: RecordData) => unknown;
  readonly keyOf: (value: unknown) => ComparableValue | null;
}

/**
 * Aggregate records, relations nested in them: by value descending, nulls last, then by the groups ascending; at most
 * `limit` rows.
 *
 * @param timezone in which days, weeks, months, quarters and years begin.
 */
export function aggregateRecords(
  records: readonly RecordData[],
  aggregation: Aggregation,
  columnAt: ColumnLookup,
  timezone: string,
  limit?: number,
): AggregateRow[] {
  const { operation, field } = aggregation;
  const groups = aggregation.groups.map((group) => planGroup(group, columnAt, timezone));
  const column = field === undefined ? undefined : columnAt(field);
  const read = field === undefined ? () => true : valueReader(field);
  const found = new Map<string, { readonly group: readonly unknown[]; readonly values: unknown[] }>();
  // Without groups there is one row, even when there are no records.
  if (groups.length === 0) found.set('[]', { group: [], values: [] });
  for (const record of records) {
    const group = groups.map(({ groupOf }) => groupOf(record));
    const identity = JSON.stringify(group.map((value, index) => identityOfNullable(groups[index]?.keyOf(value))));
    const existing = found.get(identity) ?? { group, values: [] };
    found.set(identity, existing);
    const value = read(record);
    if (value !== null) existing.values.push(value);
  }
  const valueKey = operation === 'Count' || !column ? Number : comparableOf(column.type);
  const rows = [...found.values()].map(({ group, values }) => {
    const value = aggregateValues(operation, values, column);
    return {
      row: { value, group: Object.fromEntries(groups.map((planned, index) => [planned.field, group[index]])) },
      valueKey: value === null ? null : valueKey(value),
      groupKeys: groups.map(({ keyOf }, index) => keyOf(group[index])),
    };
  });
  return rows
    .sort((a, b) => compareNullable(b.valueKey, a.valueKey) || compareAll(a.groupKeys, b.groupKeys))
    .slice(0, limit)
    .map(({ row }) => row);
}

function planGroup({ field, bucket }: AggregationGroup, columnAt: ColumnLookup, timezone: string): PlannedGroup {
  const read = valueReader(field);
  const comparable = bucket === undefined ? comparableOf(columnAt(field).type) : String;
  return {
    field,
    keyOf: (value) => (value === null ? null : comparable(value)),
    groupOf: (record) => {
      const value = read(record);
      return value === null || bucket === undefined ? value : firstDayOfBucket(value, bucket, timezone);
    },
  };
}

function identityOfNullable(key: ComparableValue | null | undefined): string | null {
  return key === null || key === undefined ? null : identityOf(key);
}

function compareAll(a: readonly (ComparableValue | null)[], b: readonly (ComparableValue | null)[]): number {
  for (const [index, key] of a.entries()) {
    const sign = compareNullable(key, b[index] ?? null);
    if (sign !== 0) return sign;
  }
  return 0;
}

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
