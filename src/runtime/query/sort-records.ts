import type { RecordPredicate } from './evaluate-condition.ts';
import type { ColumnLookup } from './parse-condition-tree.ts';
import { valueReader } from './record-path.ts';
import type { Page, RecordData, SortClause } from './record-query.ts';
import { type ComparableValue, comparableOf, compareValues } from './value-order.ts';

/**
 * The records in a new order: nulls first when ascending, equal ones as they stood.
 *
 * @param isShown tells of a clause which records have a value. Default: all.
 */
export function sortRecords(
  records: readonly RecordData[],
  sort: readonly SortClause[],
  columnAt: ColumnLookup,
  isShown: (clause: SortClause) => RecordPredicate | undefined = () => undefined,
): RecordData[] {
  if (sort.length === 0) return [...records];
  const clauses = sort.map((clause) => {
    const { field, ascending } = clause;
    const readAny = valueReader(field);
    const hasValue = isShown(clause);
    const read = hasValue ? (record: RecordData) => (hasValue(record) ? readAny(record) : null) : readAny;
    const comparable = comparableOf(columnAt(field).type);
    const keyOf = (record: RecordData) => {
      const value = read(record);
      return value === null ? null : comparable(value);
    };
    return { keyOf, direction: ascending ? 1 : -1 };
  });
  return records
    .map((record) => ({ record, keys: clauses.map(({ keyOf }) => keyOf(record)) }))
    .sort((a, b) => {
      for (const [index, { direction }] of clauses.entries()) {
        const sign = compareNullable(a.keys[index] ?? null, b.keys[index] ?? null);
        if (sign !== 0) return sign * direction;
      }
      return 0;
    })
    .map(({ record }) => record);
}

/** The order of comparable values with null before all of them. */
export function compareNullable(a: ComparableValue | null, b: ComparableValue | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1;
  return compareValues(a, b);
}

/** The part of a list that a page shows. */
export function pageOf<Item>(items: readonly Item[], page: Page | undefined): readonly Item[] {
  return page ? items.slice(page.skip, page.skip + page.limit) : items;
}
