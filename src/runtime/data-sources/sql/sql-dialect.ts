import type { RawBuilder } from 'kysely';
import type { SqlValue } from '#kernel/ports/sqlite-connection';
import type { ColumnType } from '../../query/column-type.ts';
import type { Operator } from '../../query/operators.ts';
import type { ColumnSchema } from '../collection-schema.ts';
import type { BindContext } from './bind-context.ts';

export type Sql = RawBuilder<unknown>;

/** SQL text, and how each of its parameters is had from a query of its shape. */
export interface CompiledSql {
  readonly sql: string;
  readonly parameters: readonly ((context: BindContext) => SqlValue)[];
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
  compile(query: Sql): CompiledSql;
}
