import type { ConditionTree } from './condition-tree.ts';

/** A record: columns by name, to-one relations as nested records or `null`. Exact numbers and dates are strings. */
export type RecordData = Readonly<Record<string, unknown>>;

/** A field to sort by, and the direction. */
export interface SortClause {
  /** A column, or a path `relation:column` through to-one relations. */
  readonly field: string;
  readonly ascending: boolean;
  /** Any total order of the column will do, as that of its index. Only for columns that are unique together. */
  readonly isAnyOrder?: true;
  /** Records for which it does not hold are sorted as if they had no value. Only for stores that say `hidesValues`. */
  readonly shownWhere?: ConditionTree;
}

/** Which of the records in their order are wanted: `limit` of them behind the first `skip`. */
export interface Page {
  readonly skip: number;
  readonly limit: number;
}

/** A query to a data source, after planning. Everything in it runs in the database. */
export interface ListQuery {
  readonly collection: string;
  /** Columns and paths `relation:column` to fetch. */
  readonly projection: readonly string[];
  readonly where?: ConditionTree | undefined;
  readonly sort?: readonly SortClause[] | undefined;
  readonly page?: Page | undefined;
}
