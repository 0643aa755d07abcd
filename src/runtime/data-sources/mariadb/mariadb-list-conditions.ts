import { sql } from 'kysely';
import { bytesOfText } from '../../query/bytes-of-text.ts';
import type { ColumnSchema } from '../../query/collection-schema.ts';
import { meansMillisecond } from '../../query/instant-precision.ts';
import type { LeafInput, Sql } from '../sql/sql-dialect.ts';
import { slot } from '../sql/statement-parameters.ts';
import {
  characterSet,
  comparableColumn,
  exactCollation,
  exactListText,
  isTextual,
} from './mariadb-column-expressions.ts';
import { fittingDecimal } from './mariadb-decimals.ts';
import { digitsOf, hidesMicroseconds, nativeTypeOf, storageOf } from './mariadb-native-type.ts';
import { instantText, timeText } from './mariadb-values.ts';
import { isMissing, isThere } from './mariadb-zero-dates.ts';

/** `In` and `NotIn`. The whole list is one parameter, so that its length does not change the statement. */
export function membership(leaf: LeafInput): Sql {
  const { column, reference } = leaf;
  const isMember = hidesMicroseconds(column)
    ? instantMembership(leaf)
    : isTextual(column)
      ? textMembership(leaf)
      : column.type === 'Binary'
        ? sql`${reference} in ${byteItems(leaf)}`
        : sql`${comparableColumn(column, reference)} in (select j.v from ${items(leaf, itemType(column))})`;
  return leaf.variant.includes('null') ? sql`(${isMember} or ${isMissing(column, reference)})` : isMember;
}

/** A record without a value is in no list, unless the list holds `null`. */
export function nonMembership(leaf: LeafInput): Sql {
  const { column, reference } = leaf;
  const isOther =
    storageOf(column) === 'uuid'
      ? sql`${reference} not in ${uuidItems(leaf)}`
      : column.type === 'Binary'
        ? sql`${reference} not in ${byteItems(leaf)}`
        : isTextual(column)
          ? sql`${exactListText(reference)} not in ${exactItems(leaf)}`
          : hidesMicroseconds(column)
            ? sql`not coalesce(${instantMembership(leaf)}, false)`
            : sql`${comparableColumn(column, reference)} not in (select j.v from ${items(leaf, itemType(column))})`;
  return leaf.variant.includes('null')
    ? sql`(${isOther} and ${isThere(column, reference)})`
    : sql`(${isOther} or ${reference} is null)`;
}

/**
 * Compares by the column's own comparison, so that an index serves, and then byte by byte. Both sub-queries are independent
 * of the row, because the server caches a dependent one by the value, under the collation of the column.
 */
function textMembership(leaf: LeafInput): Sql {
  const { column, reference } = leaf;
  if (storageOf(column) === 'uuid') return sql`${reference} in ${uuidItems(leaf)}`;
  const isExactMember = sql`${exactListText(reference)} in ${exactItems(leaf)}`;
  const { collation } = nativeTypeOf(column);
  if (collation === undefined || column.type === 'Enum') return isExactMember;
  const type = sql`${textType(leaf)} character set ${sql.raw(characterSet(collation))} collate ${sql.raw(collation)}`;
  return sql`(${reference} in (select j.v from ${items(leaf, type)}) and ${isExactMember})`;
}

function exactItems(leaf: LeafInput): Sql {
  return sql`(select j.v from ${items(leaf, sql`${textType(leaf)} character set utf8mb4 collate ${exactCollation}`)})`;
}

/** Bytes are listed in hexadecimal. */
function byteItems(leaf: LeafInput): Sql {
  return sql`(select unhex(j.v) from ${items(leaf, sql`longtext character set utf8mb4`)})`;
}

function uuidItems(leaf: LeafInput): Sql {
  return sql`(select cast(j.v as uuid) from ${items(leaf, sql`varchar(64) character set utf8mb4`)})`;
}

/** An index is asked for what lies between the first and the last item; what it finds is looked up in the list. */
function instantMembership(leaf: LeafInput): Sql {
  const { reference } = leaf;
  const whole = items(leaf, itemType(leaf.column), meansMillisecond);
  const first = sql`(select min(j.v) from ${whole})`;
  const last = sql`(select max(j.v) + interval 999 microsecond from ${whole})`;
  const millisecond = sql`${reference} - interval (microsecond(${reference}) mod 1000) microsecond`;
  const isInMillisecond = sql`${reference} between ${first} and ${last} and ${millisecond} in (select j.v from ${whole})`;
  const exact = items(leaf, itemType(leaf.column), (item) => !meansMillisecond(item));
  return sql`((${isInMillisecond}) or ${reference} in (select j.v from ${exact}))`;
}

/** The longest texts that the server still keeps in a temporary table with a key; for longer ones it scans the list. */
const maxKeyed = 500;

/** The properties of a list that change the text of its condition: it holds `null`, or a text too long for a keyed table. */
export function listVariant(items: readonly unknown[]): string {
  const isLong = items.some((item) => typeof item === 'string' && item.length > maxKeyed);
  return `${items.includes(null) ? 'null' : ''}${isLong ? 'long' : ''}`;
}

function textType(leaf: LeafInput): Sql {
  if (leaf.variant.includes('long')) return sql`longtext`;
  return sql`varchar(${sql.lit(maxKeyed)})`;
}

function items(leaf: LeafInput, type: Sql, isMeant: (item: unknown) => boolean = () => true): Sql {
  return sql`json_table(${slot(({ values }) => {
    const given = values[leaf.index];
    const present: unknown[] = Array.isArray(given) ? given.filter((item) => item !== null && isMeant(item)) : [];
    return JSON.stringify(present.flatMap((item) => listItem(leaf.column, item)));
  })}, '$[*]' columns (v ${type} path '$')) as j`;
}

function itemType(column: ColumnSchema): Sql {
  switch (storageOf(column)) {
    case 'integer':
      return nativeTypeOf(column).isUnsigned ? sql`bigint unsigned` : sql`bigint`;
    case 'bit':
      return sql`bigint unsigned`;
    case 'boolean':
    case 'year':
      return sql`bigint`;
    case 'decimal': {
      const { whole, scale } = digitsOf(column);
      return sql`decimal(${sql.lit(whole + scale)}, ${sql.lit(scale)})`;
    }
    case 'float':
    case 'double':
      return sql`double`;
    case 'instant':
      return sql`datetime(6)`;
    case 'day':
      return sql`date`;
    case 'time':
      return sql`time(6)`;
    default:
      return sql`varchar(${sql.lit(maxKeyed)}) character set utf8mb4`;
  }
}

/** The item in the form that its type is read from; a number that no value of the column equals is left out. */
function listItem(column: ColumnSchema, item: unknown): (string | number)[] {
  switch (storageOf(column)) {
    case 'boolean':
      return [item === true ? 1 : 0];
    case 'integer':
    case 'bit':
    case 'year':
      return wholeNumber(item, storageOf(column) === 'bit' || nativeTypeOf(column).isUnsigned);
    case 'decimal': {
      const { whole, scale } = digitsOf(column);
      const digits = fittingDecimal(item, whole, scale);
      return digits === undefined ? [] : [digits];
    }
    case 'float':
      return [Math.fround(Number(item))];
    case 'double':
      return [Number(item)];
    case 'instant':
      return [instantText(item)];
    case 'time':
      return [timeText(item)];
    default:
      return [column.type === 'Binary' ? hexOf(item) : String(item).toWellFormed()];
  }
}

function hexOf(item: unknown): string {
  return Buffer.from(item instanceof Uint8Array ? item : bytesOfText(String(item))).toString('hex');
}

function wholeNumber(item: unknown, isUnsigned: boolean): string[] {
  const digits = fittingDecimal(item, 20, 0);
  if (digits === undefined) return [];
  const whole = BigInt(digits.split('.')[0] ?? '0');
  const isInRange = isUnsigned ? whole === BigInt.asUintN(64, whole) : whole === BigInt.asIntN(64, whole);
  return isInRange ? [String(whole)] : [];
}
