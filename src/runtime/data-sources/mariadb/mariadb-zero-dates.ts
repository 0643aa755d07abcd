import { sql } from 'kysely';
import type { ColumnSchema } from '../../query/collection-schema.ts';
import type { Sql } from '../sql/sql-dialect.ts';
import { storageOf } from './mariadb-native-type.ts';

const zero = sql.raw("'0000-00-00'");

/**
 * Whether a column may hold `0000-00-00`, which applications wrote where they had no date and a column took no null. It is
 * null to whoever reads. In a primary key it stays what it is, because the key has to find its record.
 */
function mayBeZero(column: ColumnSchema): boolean {
  const storage = storageOf(column);
  return (storage === 'instant' || storage === 'day') && !column.isPrimaryKey;
}

/** The column with null for the zero date. No index serves it. */
export function withoutZero(column: ColumnSchema, reference: Sql): Sql {
  return mayBeZero(column) ? sql`nullif(${reference}, ${zero})` : reference;
}

/** Shapes are not documents, although records show them as such. */
export function isDocument(column: ColumnSchema): boolean {
  return column.type === 'Json' && storageOf(column) !== 'geometry';
}

/** The document `null` reads like no document at all. */
export function isMissing(column: ColumnSchema, reference: Sql): Sql {
  if (isDocument(column)) return sql`(${reference} is null or json_type(${reference}) = 'NULL')`;
  return mayBeZero(column) ? sql`(${reference} is null or ${reference} = ${zero})` : sql`${reference} is null`;
}

/** The zero date is before every other. */
export function isThere(column: ColumnSchema, reference: Sql): Sql {
  if (isDocument(column)) return sql`(${reference} is not null and coalesce(json_type(${reference}), '') <> 'NULL')`;
  return mayBeZero(column) ? sql`${reference} > ${zero}` : sql`${reference} is not null`;
}

/** A condition that dates fulfil when they are early enough, without the zero date. */
export function unlessZero(column: ColumnSchema, reference: Sql, condition: Sql): Sql {
  return mayBeZero(column) ? sql`(${condition} and ${isThere(column, reference)})` : condition;
}

/** Whether a stored text is the zero date, with or without a time. */
export function isZeroDate(stored: string): boolean {
  return stored.startsWith('0000-00-00');
}
