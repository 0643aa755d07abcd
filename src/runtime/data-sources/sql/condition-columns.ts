import type { ColumnSchema } from '../../query/collection-schema.ts';
import type { Sql } from './sql-dialect.ts';
import type { Candidate } from './sql-expressions.ts';

export interface JoinedColumn {
  readonly column: ColumnSchema;
  readonly reference: Sql;
  readonly candidate?: Candidate;
}

/** Finds the columns and the related records of conditions. */
export interface ConditionColumns {
  /** The column at the end of `column` or `relation:column`; joins what lies between. */
  columnAt(path: string): JoinedColumn;
  /** The part of a path up to its last to-many relation; empty when it leads to one record. */
  toManyPart(path: string): string;
  /** The records that a path of relations leads to, to-many ones among them, seen from the record of the root. */
  related(relationPath: string): RelatedRecords;
}

/** Records that are looked at and not joined: a record of the root stays one, however many of them there are. */
export interface RelatedRecords {
  /** Paths that begin at one of them. */
  readonly joins: ConditionColumns;
  /** Whether there is one of them that fulfils `condition`, which is written with `joins`. */
  exists(condition: Sql): Sql;
}
