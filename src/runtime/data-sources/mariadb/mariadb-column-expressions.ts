import { sql } from 'kysely';
import type { ColumnSchema } from '../../query/collection-schema.ts';
import type { Sql } from '../sql/sql-dialect.ts';
import { nativeTypeOf, storageOf } from './mariadb-native-type.ts';

/** Collations that compare by code point and do not pad: for these the bare column will do. */
const exactCollations = /^(?:(?:utf8mb4|utf8mb3|utf8|ascii)_nopad_bin|utf8mb4_0900_bin)$/;

export function isTextual(column: ColumnSchema): boolean {
  return ['text', 'uuid', 'address'].includes(storageOf(column));
}

/**
 * A text in the form in which texts are equal and ordered here: the bytes of its UTF-8, whose order is that of code
 * points. Collations fold case and accents, and all but a few take `a` and `a ` for the same.
 */
function exactText(column: ColumnSchema, reference: Sql): Sql {
  return isOrderedByBytes(column) ? bytes(reference) : reference;
}

/** Whether texts of the column have to become bytes, to be equal and ordered as such. */
export function isOrderedByBytes(column: ColumnSchema): boolean {
  const { collation, name } = nativeTypeOf(column);
  return collation === undefined || !exactCollations.test(collation) || name === 'enum' || name === 'set';
}

/** The bytes of a text in UTF-8. */
export function bytes(text: Sql): Sql {
  return sql`cast(convert(${text} using utf8mb4) as binary)`;
}

/**
 * A text that is written to a column whose character set is not the connection's. MySQL would convert the parameter itself, and
 * where the set lacks a character, its error would not name the column.
 */
export function storedText(column: ColumnSchema, parameter: Sql): Sql {
  const { collation } = nativeTypeOf(column);
  if (collation === undefined || characterSet(collation) === 'utf8mb4') return parameter;
  return sql`convert(${parameter} using utf8mb4)`;
}

/** The character set of a collation: names of collations are words, and begin with it. */
export function characterSet(collation: string): string {
  const name = /^[a-z0-9]+/.exec(collation)?.[0] ?? 'utf8mb4';
  return name === 'uca1400' ? 'utf8mb4' : name;
}

/**
 * A value in the character set and the collation of a column, so that an index of it serves. What the set does not have
 * becomes a question mark: the comparison only narrows the search.
 */
export function inCollationOf(column: ColumnSchema, value: Sql): Sql | undefined {
  const { collation } = nativeTypeOf(column);
  if (collation === undefined) return undefined;
  // MySQL converts a parameter itself before it runs, and refuses what the set does not have.
  const text = sql`convert(${value} using utf8mb4)`;
  return sql`convert(${text} using ${sql.raw(characterSet(collation))}) collate ${sql.raw(collation)}`;
}

/**
 * A text in the collation of the column that it refers to, so that an index of that one serves. The server refuses to compare
 * two collations of one character set; of two sets it takes the larger one, and a binary collation before others.
 */
export function inReferredCollation(column: ColumnSchema, reference: Sql, referred: ColumnSchema): Sql {
  const [own, key] = [nativeTypeOf(column).collation, nativeTypeOf(referred).collation];
  if (own === undefined || key === undefined || own === key || [own, key].some((name) => name.endsWith('_bin'))) {
    return reference;
  }
  return characterSet(own) === characterSet(key) ? sql`${reference} collate ${sql.raw(key)}` : reference;
}

/**
 * The collation that compares by code point and does not pad. MySQL calls it otherwise: each server reads the comment
 * that is meant for it.
 */
export const exactCollation = sql.raw('/*M! utf8mb4_nopad_bin */ /*!80017 utf8mb4_0900_bin */');

/** A text as it is compared with the items of a list: one that stays a text can be looked up in a temporary table. */
export function exactListText(text: Sql): Sql {
  return sql`convert(${text} using utf8mb4) collate ${exactCollation}`;
}

/** A text whose characters LIKE compares one by one. */
export function binaryText(text: Sql): Sql {
  return sql`convert(${text} using utf8mb4) collate utf8mb4_bin`;
}

/**
 * A text in lower case by the tables of the newest Unicode that the server knows. MariaDB alone reads what is in
 * the comment; MySQL's own default for utf8mb4 is already a new one.
 */
export function lowerText(text: Sql): Sql {
  return sql`lower(convert(${text} using utf8mb4) /*M! collate utf8mb4_uca1400_as_cs */) collate utf8mb4_bin`;
}

/** A column as values of it are compared, ordered, aggregated and grouped. */
export function comparableColumn(column: ColumnSchema, reference: Sql): Sql {
  switch (storageOf(column)) {
    case 'boolean':
      return sql`(${reference} <> 0)`;
    case 'bit':
    case 'year':
      return sql`(${reference} + 0)`;
    default:
      return isTextual(column) ? exactText(column, reference) : reference;
  }
}

/** A text of what a column holds, digit by digit and byte by byte. */
export function mariadbStoredForm(column: ColumnSchema, reference: Sql): Sql {
  switch (storageOf(column)) {
    case 'boolean':
    case 'integer':
    case 'decimal':
    case 'year':
    case 'instant':
    case 'day':
    case 'time':
      return sql`cast(${reference} as char)`;
    case 'float':
    case 'double':
      // As a float alone it is written with six digits.
      return sql`cast(${reference} + 0e0 as char)`;
    default:
      return sql`hex(${reference})`;
  }
}
