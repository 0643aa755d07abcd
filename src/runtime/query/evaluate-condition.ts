import type { DateTime } from 'luxon';
import { type ConditionTree, isBranch } from './condition-tree.ts';
import { leafPredicate } from './leaf-predicate.ts';
import type { ColumnLookup } from './parse-condition-tree.ts';
import { holdsAtSome } from './record-path.ts';
import type { RecordData } from './record-query.ts';

export type RecordPredicate = (record: RecordData) => boolean;

/** Whether the last relation of a path of relations leads to many records. */
export type IsToMany = (relationPath: string) => boolean;

/**
 * A condition tree as a function of a record, relations nested in it, to-many ones as lists. This is what every engine is
 * measured by.
 *
 * @param columnAt the column at the end of a path.
 * @param now the present, in the time zone of the caller.
 * @param isToMany by default no relation is.
 */
export function recordPredicate(
  tree: ConditionTree | undefined,
  columnAt: ColumnLookup,
  now: DateTime,
  isToMany: IsToMany = () => false,
): RecordPredicate {
  if (!tree) return () => true;
  if (isBranch(tree)) {
    const parts = tree.conditions.map((condition) => recordPredicate(condition, columnAt, now, isToMany));
    return tree.aggregator === 'And'
      ? (record) => parts.every((part) => part(record))
      : (record) => parts.some((part) => part(record));
  }
  return holdsAtSome(tree.field, isToMany, leafPredicate(tree, columnAt(tree.field), now));
}

/** Whether one record fulfils a condition tree. */
export function evaluateCondition(
  record: RecordData,
  tree: ConditionTree | undefined,
  columnAt: ColumnLookup,
  now: DateTime,
  isToMany?: IsToMany,
): boolean {
  return recordPredicate(tree, columnAt, now, isToMany)(record);
}
