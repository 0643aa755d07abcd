import { sql } from 'kysely';
import type { ColumnSchema } from '../../query/collection-schema.ts';
import type { ColumnType } from '../../query/column-type.ts';
import { type Operator, operatorsOfType } from '../../query/operators.ts';
import { isRelativeDateOperator, relativeDays, relativeInterval } from '../../query/relative-dates.ts';
import type { LeafInput, OrderPlaces, Sql } from '../sql/sql-dialect.ts';
import { type BindContext, slot } from '../sql/statement-parameters.ts';
import {
  comparableColumn,
  inCollationOf,
  isOrderedByBytes,
  isTextual,
  mariadbStoredForm,
} from './mariadb-column-expressions.ts';
import { decimalOperand, operandScale } from './mariadb-decimals.ts';
import { listVariant, membership, nonMembership } from './mariadb-list-conditions.ts';
import { digitsOf, fractionDigitsOf, hidesMicroseconds, nativeTypeOf, storageOf } from './mariadb-native-type.ts';
import { textCondition } from './mariadb-text-conditions.ts';
import { encodeForMariadb, instantText, lastInstantText, timeText } from './mariadb-values.ts';
import { isMissing, isThere, unlessZero } from './mariadb-zero-dates.ts';

const presence: ReadonlySet<Operator> = new Set(['Present', 'Blank', 'Missing']);

const bytes: ReadonlySet<Operator> = new Set([...presence, 'Equal', 'NotEqual', 'In', 'NotIn']);

/** Whole documents have no native comparison here, and there are no lists. */
export function mariadbOperatorsOf(type: ColumnType): ReadonlySet<Operator> {
  if (typeof type !== 'string' || type === 'Json' || type === 'Point') return presence;
  if (type === 'Binary') return bytes;
  const operators = new Set(operatorsOfType(type));
  operators.delete('IncludesAll');
  operators.delete('IncludesNone');
  return operators.add('In').add('NotIn');
}

/**
 * The properties of a value that change the text of its condition: whether it is or holds `null`, and which truth value it
 * is.
 */
export function mariadbVariantOf(_operator: Operator, value: unknown): string {
  if (typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return listVariant(value);
  return value === null || value === undefined ? 'null' : '';
}

export function mariadbCondition(leaf: LeafInput): Sql {
  const { operator, column, reference } = leaf;
  if (isRelativeDateOperator(operator)) return intervalCondition(leaf);
  switch (operator) {
    case 'Missing':
      return isMissing(column, reference);
    case 'Blank':
      // Compared by length: by a collation that pads, blanks alone equal the empty text.
      return column.type === 'String' ? sql`(${reference} is null or ${isEmpty(leaf)})` : isMissing(column, reference);
    case 'Present':
      return column.type === 'String'
        ? sql`(${reference} is not null and not ${isEmpty(leaf)})`
        : isThere(column, reference);
    case 'Equal':
      return leaf.variant === 'null' ? isMissing(column, reference) : equality(leaf);
    case 'NotEqual':
      return leaf.variant === 'null' ? isThere(column, reference) : inequality(leaf);
    case 'In':
      return membership(leaf);
    case 'NotIn':
      return nonMembership(leaf);
    case 'LessThan':
    case 'Before':
      return unlessZero(column, reference, comparison(leaf, sql`<`));
    case 'GreaterThan':
    case 'After':
      return comparison(leaf, sql`>`);
    case 'LessThanOrEqual':
      return unlessZero(column, reference, comparison(leaf, sql`<=`));
    case 'GreaterThanOrEqual':
      return comparison(leaf, sql`>=`);
    default:
      return textCondition(leaf);
  }
}

function isEmpty({ reference }: LeafInput): Sql {
  return sql`char_length(${reference}) = 0`;
}

/** Texts first by the comparison of their column, which an index serves, then byte by byte. */
function equality(leaf: LeafInput): Sql {
  const { column, reference } = leaf;
  if (column.type === 'Boolean') return leaf.variant === 'true' ? sql`${reference} <> 0` : sql`${reference} = 0`;
  const storage = storageOf(column);
  if (storage === 'uuid') return sql`${reference} = ${operand(column, givenValue(leaf))}`;
  if (hidesMicroseconds(column)) return isInMillisecond(leaf);
  if (storage === 'instant' || storage === 'time') return equalMoment(leaf);
  if (storage !== 'text') return comparison(leaf, sql`=`);
  const exact = comparison(leaf, sql`=`);
  const narrowing = isOrderedByBytes(column) ? inCollationOf(column, textOperand(givenValue(leaf))) : undefined;
  return narrowing ? sql`(${reference} = ${narrowing} and ${exact})` : exact;
}

/** A moment with more digits than its column keeps equals none: to look it up in an index, MySQL would round it. */
function equalMoment({ column, reference, index }: LeafInput): Sql {
  const isTime = storageOf(column) === 'time';
  const moment = slot(({ values }) => {
    const text = isTime ? timeText(values[index]) : instantText(values[index]);
    const digits = /\.(\d*?)0*$/.exec(text)?.[1]?.length ?? 0;
    return digits > fractionDigitsOf(column) ? null : text;
  });
  return sql`${reference} = ${isTime ? timeOperand(moment) : instantOperand(moment)}`;
}

function inequality(leaf: LeafInput): Sql {
  const { column, reference } = leaf;
  const isOther =
    column.type === 'Boolean'
      ? sql`(${reference} <> 0) <> ${sql.lit(leaf.variant === 'true' ? 1 : 0)}`
      : storageOf(column) === 'uuid'
        ? sql`${reference} <> ${operand(column, givenValue(leaf))}`
        : hidesMicroseconds(column)
          ? sql`not ${isInMillisecond(leaf)}`
          : comparison(leaf, sql`<>`);
  return sql`(${isOther} or ${reference} is null)`;
}

/** Equality of instants that records show by the millisecond, as bounds on the bare column. */
function isInMillisecond({ reference, index }: LeafInput): Sql {
  const first = instantOperand(slot(({ values }) => instantText(values[index])));
  const last = instantOperand(slot(({ values }) => lastInstantText(values[index])));
  return sql`(${reference} between ${first} and ${last})`;
}

function comparison(leaf: LeafInput, sign: Sql): Sql {
  return sql`${comparableColumn(leaf.column, leaf.reference)} ${sign} ${operand(leaf.column, givenValue(leaf))}`;
}

type ValueInQuery = (context: BindContext) => unknown;

function givenValue({ index }: LeafInput): ValueInQuery {
  return ({ values }) => values[index];
}

function textOperand(value: ValueInQuery): Sql {
  return slot((context) => String(value(context)).toWellFormed());
}

/** A text is written down as it is shown, anything else as it is stored. */
export const mariadbPlaces: OrderPlaces = {
  textOf(column, reference) {
    if (isTextual(column)) return sql`convert(${reference} using utf8mb4)`;
    const storage = storageOf(column);
    if (storage === 'float' || storage === 'double') return mariadbStoredForm(column, reference);
    return sql`cast(${comparableColumn(column, reference)} as char)`;
  },
  valueOf(column, text) {
    switch (storageOf(column)) {
      case 'float':
        return slot((context) => Number(text(context)));
      case 'instant':
        return instantOperand(slot(text));
      case 'time':
        return timeOperand(slot(text));
      case 'boolean':
        return sql`cast(${slot(text)} as signed)`;
      default:
        return operand(column, text);
    }
  },
  ofIndex(column) {
    const { name, collation } = nativeTypeOf(column);
    // Both are kept as numbers, and compared as texts.
    if (name === 'enum' || name === 'set') return undefined;
    switch (storageOf(column)) {
      case 'text':
        return collation === undefined ? undefined : (text) => inCollationOf(column, slot(text)) ?? slot(text);
      case 'uuid':
      case 'address':
        return (text) => sql`cast(${slot(text)} as ${sql.raw(name)})`;
      default:
        return undefined;
    }
  },
};

/** The value, cast to the type it is compared in: the column stays bare, so that an index of it serves. */
function operand(column: ColumnSchema, value: ValueInQuery): Sql {
  if (column.type === 'Binary') return slot((context) => encodeForMariadb(column, value(context)));
  const storage = storageOf(column);
  switch (storage) {
    case 'integer':
    case 'decimal':
    case 'bit':
    case 'year': {
      const { whole, scale } = digitsOf(column);
      const castScale = operandScale(whole, scale);
      const digits = slot((context) => decimalOperand(value(context), castScale));
      return sql`cast(${digits} as decimal(65, ${sql.lit(castScale)}))`;
    }
    case 'float':
      return slot((context) => Math.fround(Number(value(context))));
    case 'double':
      return slot((context) => Number(value(context)));
    case 'instant':
      return instantOperand(slot((context) => instantText(value(context))));
    case 'day':
      return sql`cast(${slot((context) => String(value(context)))} as date)`;
    case 'time':
      return timeOperand(slot((context) => timeText(value(context))));
    default: {
      const isBytes = isTextual(column) && storage !== 'uuid' && isOrderedByBytes(column);
      return isBytes ? sql`cast(${textOperand(value)} as binary)` : textOperand(value);
    }
  }
}

/** MySQL takes a bound text that is cast to a time for a date with a time, unless it comes out of a function. */
function timeOperand(text: Sql): Sql {
  return sql`cast(concat(${text}) as time(6))`;
}

function instantOperand(text: Sql): Sql {
  return sql`cast(${text} as datetime(6))`;
}

function intervalCondition(leaf: LeafInput): Sql {
  const { reference, operator } = leaf;
  const edge = (name: 'from' | 'after' | 'before') => edgeOperand(leaf.column, operator, leaf.index, name);
  switch (operator) {
    case 'Past':
    case 'BeforeXHoursAgo':
      return unlessZero(leaf.column, reference, sql`${reference} < ${edge('before')}`);
    case 'Future':
    case 'AfterXHoursAgo':
      return sql`${reference} > ${edge('after')}`;
    default:
      return sql`(${reference} >= ${edge('from')} and ${reference} < ${edge('before')})`;
  }
}

function edgeOperand(column: ColumnSchema, operator: Operator, index: number, name: 'from' | 'after' | 'before'): Sql {
  if (column.type === 'Dateonly') {
    return sql`cast(${slot(({ values, now }) => relativeDays(operator, values[index], now())[name] ?? null)} as date)`;
  }
  const edge = slot(({ values, now }) => {
    const instant = relativeInterval(operator, values[index], now())[name];
    return instant ? instantText(instant.toJSDate()) : null;
  });
  return instantOperand(edge);
}
