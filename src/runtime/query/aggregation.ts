import type { ConditionTree } from './condition-tree.ts';

export const aggregateOperations = ['Count', 'Sum', 'Avg', 'Min', 'Max'] as const;
export type AggregateOperation = (typeof aggregateOperations)[number];

export const dateBuckets = ['Year', 'Quarter', 'Month', 'Week', 'Day'] as const;
/** Weeks begin on Monday, quarters on their first day, all in the caller's time zone. */
export type DateBucket = (typeof dateBuckets)[number];

export interface AggregationGroup {
  /** A column, or a path `relation:column` through to-one relations. */
  readonly field: string;
  /** For Date and Dateonly columns: the group is the first day of the stretch, as `YYYY-MM-DD`. */
  readonly bucket?: DateBucket | undefined;
  /** Records for which it does not hold have no value here. Only for stores that say `hidesValues`. */
  readonly shownWhere?: ConditionTree;
}

/** A figure, and the groups that it is worked out for; without groups, for all records together. */
export interface Aggregation {
  readonly operation: AggregateOperation;
  /** The aggregated field. `Count` without it counts records, and with it the records that have a value. */
  readonly field?: string | undefined;
  /** The same as for a group. */
  readonly shownWhere?: ConditionTree;
  readonly groups: readonly AggregationGroup[];
}

/**
 * One group and its value. Without groups there is exactly one row. `Count` is a number; `Sum`, `Avg`, `Min` and `Max`
 * of exact columns are strings; of no value at all, `Sum`, `Avg`, `Min` and `Max` are `null`.
 */
export interface AggregateRow {
  readonly value: unknown;
  /** By the `field` of each group. */
  readonly group: Readonly<Record<string, unknown>>;
}
