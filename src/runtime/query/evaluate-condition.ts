import type { DateTime } from 'luxon';
import { type ConditionTree, isBranch } from './condition-tree.ts';
import { leafPredicate } from './leaf-predicate.ts';
import type { ColumnLookup } from './parse-condition-tree.ts';
import { valueReader } from './record-path.ts';
import type { RecordData } from './record-query.ts';

export type RecordPredicate = (record: RecordData) => boolean;

/**
 * A condition tree as a function of a record, relations nested in it. This is what every engine is measured by.
 *
 * @param columnAt the column at the end of a path.
 * @param now the present, in the time zone of the caller.
 */
export function recordPredicate(
  tree: ConditionTree | undefined,
  columnAt: ColumnLookup,
  now: DateTime,
): RecordPredicate {
  if (!tree) return () => true;
  if (isBranch(tree)) {
    const parts = tree.conditions.map((condition) => recordPredicate(condition, columnAt, now));
    return tree.aggregator === 'And'
      ? (record) => parts.every((part) => part(record))
      : (record) => parts.some((part) => part(record));
  }
  const read = valueReader(tree.field);
  const isFulfilled = leafPredicate(tree, columnAt(tree.field), now);
  return (record) => isFulfilled(read(record));
}

/** Whether one record fulfils a condition tree. */
export function evaluateCondition(
  record: RecordData,
  tree: ConditionTree | undefined,
  columnAt: ColumnLookup,
  now: DateTime,
): boolean {
  return recordPredicate(tree, columnAt, now)(record);
}
