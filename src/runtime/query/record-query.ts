import type { ConditionTree } from './condition-tree.ts';

/** A record: columns by name, to-one relations as nested records or `null`. Exact numbers and dates are strings. */
export type RecordData = Readonly<Record<string, unknown>>;

/** A field to sort by, and the direction. */
export interface SortClause {
  /** A column, or a path `relation:column` through to-one relations. */
  readonly field: string;
  readonly ascending: boolean;
  /**
   * The order of the comparisons, unless this says otherwise. `any`: whichever the database has an index for. `index`: the same, where
   * the database can also look for what comes after a `StoredPlace` in it. Only for columns that are unique together.
   */
  readonly order?: 'any' | 'index';
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
