import { aggregateValues } from './aggregate-values.ts';
import type { AggregateRow, Aggregation, AggregationGroup } from './aggregation.ts';
import { firstDayOfBucket } from './date-buckets.ts';
import type { ColumnLookup } from './parse-condition-tree.ts';
import { valueReader } from './record-path.ts';
import type { RecordData } from './record-query.ts';
import { compareNullable } from './sort-records.ts';
import { type ComparableValue, comparableOf, identityOf } from './value-order.ts';

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
