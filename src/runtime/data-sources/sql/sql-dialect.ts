import type { RawBuilder } from 'kysely';
import type { SqlValue } from '#kernel/ports/sqlite-connection';
import type { AggregateOperation, DateBucket } from '../../query/aggregation.ts';
import type { ColumnType } from '../../query/column-type.ts';
import type { Operator } from '../../query/operators.ts';
import type { ColumnSchema } from '../collection-schema.ts';
import type { BindContext, SqlParameter } from './bind-context.ts';

export type Sql = RawBuilder<unknown>;

/** SQL text, and how each of its parameters is had from a query of its shape. */
export interface CompiledSql {
  readonly sql: string;
  readonly parameters: readonly ((context: BindContext) => SqlParameter)[];
}

/** A condition to write as SQL. */
export interface LeafInput {
  readonly column: ColumnSchema;
  /** The column, qualified by its table. */
  readonly reference: Sql;
  readonly operator: Operator;
  /** What `variantOf` said of the value. */
  readonly variant: string;
  /** Position of the value in `BindContext.values`. */
  readonly index: number;
}

/** What differs between SQL engines. */
export interface SqlDialect {
  /** The operators that a column of the type can be filtered by in the database. */
  operatorsOf(type: ColumnType): ReadonlySet<Operator>;
  /** The part of a value that changes the text of its condition, for instance that a list holds `null`. */
  variantOf(operator: Operator, value: unknown): string;
  condition(leaf: LeafInput): Sql;
  /** How a stored value is read. */
  decoderOf(column: ColumnSchema): (stored: SqlValue) => unknown;
  /** How a value is stored; it has been validated. */
  encode(column: ColumnSchema, value: unknown): SqlValue;
  /** A clause of `order by`: nulls before all values when ascending, texts by code point. */
  orderBy(column: ColumnSchema, reference: Sql, isAscending: boolean): Sql;
  /** The expression of one aggregate. */
  aggregate(operation: AggregateOperation, column: ColumnSchema | undefined, reference: Sql | undefined): Sql;
  /** What groups are ordered by, where the aggregate itself does not order as a number: exact ones may be texts. */
  aggregateRank?(operation: AggregateOperation, column: ColumnSchema | undefined, value: Sql): Sql;
  /** How the value of an aggregate is read. */
  aggregateDecoder(operation: AggregateOperation, column: ColumnSchema | undefined): (stored: SqlValue) => unknown;
  /** The first day of the stretch that a Date or Dateonly lies in, as `YYYY-MM-DD`, in the time zone of `BindContext.now()`. */
  bucket(column: ColumnSchema, reference: Sql, bucket: DateBucket): Sql;
  /** What an INSERT without any column says after the table. */
  readonly insertDefaults: Sql;
  /** Which writes can return the rows they wrote; the others are read again in the same transaction. */
  readonly returning: { readonly insert: boolean; readonly update: boolean };
  compile(query: Sql): CompiledSql;
}
