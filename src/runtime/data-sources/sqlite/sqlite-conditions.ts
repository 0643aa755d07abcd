import { sql } from 'kysely';
import type { DateTime } from 'luxon';
import type { SqlValue } from '#kernel/ports/sql-row';
import { bytesOfText } from '../../query/bytes-of-text.ts';
import type { ColumnSchema, InstantForm } from '../../query/collection-schema.ts';
import type { ColumnType } from '../../query/column-type.ts';
import { type Operator, operatorsOfType } from '../../query/operators.ts';
import { type Interval, isRelativeDateOperator, relativeInterval } from '../../query/relative-dates.ts';
import type { LeafInput, Sql } from '../sql/sql-dialect.ts';
import { slot } from '../sql/statement-parameters.ts';
import { exactTextType, isUntyped } from './sqlite-columns.ts';
import { exactRank } from './sqlite-decimals.ts';
import { textCondition } from './sqlite-text-conditions.ts';
import { canonicalInstant, canonicalTime, isOuter, leastMilliseconds, plainValue } from './sqlite-values.ts';

const presence: ReadonlySet<Operator> = new Set(['Present', 'Blank', 'Missing']);

const bytes: ReadonlySet<Operator> = new Set([...presence, 'Equal', 'NotEqual', 'In', 'NotIn']);

/** Lists and whole documents have no native comparison here. */
export function sqliteOperatorsOf(type: ColumnType): ReadonlySet<Operator> {
  if (typeof type !== 'string' || type === 'Json') return presence;
  if (type === 'Binary') return bytes;
  const operators = new Set(operatorsOfType(type));
  operators.delete('IncludesAll');
  operators.delete('IncludesNone');
  return operators.add('In').add('NotIn');
}

export function sqliteCondition(leaf: LeafInput): Sql {
  const { operator, column } = leaf;
  const isText = column.type === 'String';
  const isUuid = column.type === 'Uuid';
  const reference = presence.has(operator) ? present(column, leaf.reference) : compared(column, leaf.reference);
  if (isRelativeDateOperator(operator)) return intervalCondition(leaf, reference);
  switch (operator) {
    case 'Missing':
      return sql`${reference} is null`;
    case 'Blank':
      return isText ? sql`(${reference} is null or ${reference} = '')` : sql`${reference} is null`;
    case 'Present':
      return isText ? sql`(${reference} is not null and ${reference} <> '')` : sql`${reference} is not null`;
    case 'Equal':
      if (leaf.variant === 'null') return sql`${reference} is null`;
      if (isUuid) return membership(leaf, reference);
      return isKeyOfDays(column) ? isDay(leaf) : sql`${reference} = ${value(leaf)}`;
    case 'NotEqual':
      if (leaf.variant === 'null') return sql`${reference} is not null`;
      return isUuid ? nonMembership(leaf, reference) : sql`${reference} is not ${value(leaf)}`;
    case 'In':
      return membership(leaf, reference);
    case 'NotIn':
      return nonMembership(leaf, reference);
    case 'LessThan':
    case 'Before':
      return sql`${reference} < ${value(leaf)}`;
    case 'GreaterThan':
    case 'After':
      return sql`${reference} > ${value(leaf)}`;
    case 'LessThanOrEqual':
      return sql`${reference} <= ${value(leaf)}`;
    case 'GreaterThanOrEqual':
      return sql`${reference} >= ${value(leaf)}`;
    default:
      return textCondition(leaf);
  }
}

/** What is asked whether it is there. The document `null` reads like no document at all. */
function present(column: ColumnSchema, reference: Sql): Sql {
  return column.type === 'Json'
    ? sql`iif(${isNullDocument(reference)}, null, ${reference})`
    : byBytes(column, reference);
}

export function isNullDocument(reference: Sql): Sql {
  return sql`trim(${reference}, char(9, 10, 13, 32)) = 'null'`;
}

function compared(column: ColumnSchema, reference: Sql): Sql {
  if (column.type === 'Date') return instant(reference, column.instantForm);
  if (isKeyOfDays(column)) return sql`substr(${reference}, 1, 10)`;
  if (column.isPrimaryKey && column.type === 'Boolean') return truth(reference);
  return column.nativeType === exactTextType ? sql`exact_rank(${reference})` : byBytes(column, reference);
}

/** A key that is shown as a day must be found by it, also where it is stored with a time of day: otherwise its id would mean another row. */
function isKeyOfDays(column: ColumnSchema): boolean {
  return column.isPrimaryKey && column.type === 'Dateonly';
}

/** Every form of a day begins with it, and an index finds a beginning. */
function isDay(leaf: LeafInput): Sql {
  const day = value(leaf);
  return sql`(${leaf.reference} >= ${day} and ${leaf.reference} < ${day} || char(1114111))`;
}

/** What records show of a stored truth value. */
function truth(reference: Sql): Sql {
  return sql`iif(typeof(${reference}) = 'text', lower(${reference}) in ('1', 't', 'true', 'yes'), ${reference} <> 0)`;
}

/**
 * Texts by their bytes, whatever collation the column is declared with: `nocase` takes `a` and `A` for the same. A column
 * of no type holds numbers as well, which records show as texts.
 */
export function byBytes(column: ColumnSchema, reference: Sql): Sql {
  if (column.type !== 'String' && column.type !== 'Enum') return reference;
  return sql`${isUntyped(column) ? sql`shown_text(${reference})` : reference} collate binary`;
}

/** SQLite keeps instants as texts and numbers of several forms; this brings them to the one they are compared in. */
export function instant(reference: Sql, form: InstantForm | undefined): Sql {
  const text = (value: Sql, modifier: Sql) => sql`strftime('%Y-%m-%dT%H:%M:%fZ', ${value}, ${modifier})`;
  const automatic = text(reference, sql`'auto'`);
  const isNumber = sql`typeof(${reference}) in ('integer', 'real')`;
  if (form === 'julianDays') return automatic;
  if (form === 'seconds') return sql`iif(${isNumber}, ${text(reference, sql`'unixepoch'`)}, ${automatic})`;
  const fromMilliseconds = text(sql`${reference} / 1000.0`, sql`'unixepoch'`);
  if (form === 'milliseconds') return sql`iif(${isNumber}, ${fromMilliseconds}, ${automatic})`;
  return sql`iif(${isNumber} and abs(${reference}) >= ${sql.lit(leastMilliseconds)}, ${fromMilliseconds}, ${automatic})`;
}

function value(leaf: LeafInput): Sql {
  return slot(({ values }) => {
    const given = values[leaf.index];
    return leaf.column.type === 'Date' && given !== null && given !== undefined
      ? instantBound(leaf.operator, given)
      : comparable(leaf.column, given);
  });
}

/** A list, or the one value, is one parameter, so that its length does not change the statement. */
function list(leaf: LeafInput): Sql {
  // Bytes are listed in hexadecimal.
  const item = leaf.column.type === 'Binary' ? sql`unhex(value)` : sql`value`;
  return sql`(select ${item} from json_each(${slot(({ values }) => {
    const given = values[leaf.index];
    const present = (Array.isArray(given) ? given : [given]).filter((item) => item !== null && item !== undefined);
    return JSON.stringify(present.flatMap((item: unknown) => listItems(leaf.column, item)));
  })}))`;
}

/** Applications write UUIDs as texts in either case, so an index is asked for both. */
function listItems(column: ColumnSchema, item: unknown): unknown[] {
  if (column.type === 'Uuid') return [String(item).toLowerCase(), String(item).toUpperCase()];
  return [jsonItem(comparable(column, item))];
}

function jsonItem(item: SqlValue): unknown {
  if (item instanceof Uint8Array) return Buffer.from(item).toString('hex');
  // SQLite takes a text for its number beside a column of numbers. JSON has no infinity.
  if (typeof item === 'number' && isOuter(item)) return item > 0 ? '9e999' : '-9e999';
  return typeof item === 'bigint' ? String(item) : item;
}

function membership(leaf: LeafInput, reference: Sql): Sql {
  const isMember = sql`${reference} in ${list(leaf)}`;
  return leaf.variant === 'null' ? sql`(${isMember} or ${reference} is null)` : isMember;
}

/** A record without a value is in no list, unless the list holds `null`. */
function nonMembership(leaf: LeafInput, reference: Sql): Sql {
  const isOther = sql`${reference} not in ${list(leaf)}`;
  return leaf.variant === 'null'
    ? sql`(${isOther} and ${reference} is not null)`
    : sql`(${isOther} or ${reference} is null)`;
}

function comparable(column: ColumnSchema, given: unknown): SqlValue {
  if (given === null || given === undefined) return null;
  if (column.type === 'Date') return instantBound('Equal', given);
  if (column.type === 'Time') return canonicalTime(given);
  if (column.nativeType === exactTextType) return exactRank(given);
  if (column.type === 'Boolean') return given === true ? 1 : 0;
  if (column.type === 'Binary' && typeof given === 'string') return bytesOfText(given);
  // A text is greater than every number.
  return column.type === 'Number' && isOuter(Number(given)) ? Number(given) : plainValue(given);
}

/** Instants are compared in milliseconds: a bound between two of them moves to the one that means the same. */
function instantBound(operator: Operator, given: unknown): string {
  const floor = canonicalInstant(given);
  const rest = /[.,]\d{3}(\d*[1-9])/.exec(String(given))?.[1];
  if (rest === undefined || given instanceof Date) return floor;
  switch (operator) {
    case 'LessThan':
    case 'Before':
    case 'GreaterThanOrEqual':
      return canonicalInstant(new Date(Date.parse(floor) + 1));
    case 'LessThanOrEqual':
    case 'GreaterThan':
    case 'After':
      return floor;
    default:
      return floor.replace('Z', `${rest}Z`);
  }
}

function intervalCondition(leaf: LeafInput, reference: Sql): Sql {
  const isDay = leaf.column.type === 'Dateonly';
  const bound = (pick: (interval: Interval) => DateTime | undefined, isUpperBound = false) =>
    slot(({ values, now }) => {
      const edge = pick(relativeInterval(leaf.operator, values[leaf.index], now()));
      if (!edge) return null;
      if (!isDay) return edge.toUTC().toISO() ?? null;
      // A day that has begun counts, except for Past, which means the days before this one.
      const isWithinDay = isUpperBound && leaf.operator !== 'Past' && !edge.equals(edge.startOf('day'));
      return (isWithinDay ? edge.plus({ day: 1 }) : edge).toISODate() ?? null;
    });
  switch (leaf.operator) {
    case 'Past':
    case 'BeforeXHoursAgo':
      return sql`${reference} < ${bound((interval) => interval.before)}`;
    case 'Future':
    case 'AfterXHoursAgo':
      return sql`${reference} > ${bound((interval) => interval.after)}`;
    default: {
      const from = bound((interval) => interval.from);
      return sql`(${reference} >= ${from} and ${reference} < ${bound((interval) => interval.before, true)})`;
    }
  }
}
