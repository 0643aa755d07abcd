import { sql } from 'kysely';
import { cloudError } from '#kernel/errors/cloud-error';
import type { ColumnType } from '../../query/column-type.ts';
import { showsMilliseconds } from '../../query/instant-precision.ts';
import { isListType, type Operator, operatorsOfType } from '../../query/operators.ts';
import { isRelativeDateOperator } from '../../query/relative-dates.ts';
import type { LeafInput, Sql } from '../sql/sql-dialect.ts';
import { slot } from '../sql/statement-parameters.ts';
import { dateCondition, millisecondCondition, nullAware } from './postgres-date-conditions.ts';
import { listCondition } from './postgres-list-conditions.ts';
import { comparedType, familyOf } from './postgres-native-type.ts';
import { isTextOperator, jsonCondition, textCondition } from './postgres-text-conditions.ts';
import { comparedItem, encodeForPostgres } from './postgres-values.ts';

const presence: readonly Operator[] = ['Present', 'Blank', 'Missing'];
const ofJson: ReadonlySet<Operator> = new Set([...presence, 'Equal', 'NotEqual', 'In', 'NotIn']);
const equality: ReadonlySet<Operator> = new Set(['Equal', 'NotEqual', 'In', 'NotIn']);
const ofLists: ReadonlySet<Operator> = new Set([...presence, 'Equal', 'NotEqual', 'IncludesAll', 'IncludesNone']);

/** The operators that PostgreSQL has: all that make sense for the type; for structures only presence. */
export function postgresOperatorsOf(type: ColumnType): ReadonlySet<Operator> {
  if (isListType(type)) return typeof type[0] === 'string' && type[0] !== 'Point' ? ofLists : new Set(presence);
  if (typeof type !== 'string') return new Set(presence);
  if (type === 'Json') return ofJson;
  const operators = new Set(operatorsOfType(type));
  operators.delete('IncludesAll');
  operators.delete('IncludesNone');
  return operators.add('In').add('NotIn');
}

export function postgresCondition(leaf: LeafInput): Sql {
  const { column, operator, reference } = leaf;
  if (operator === 'Missing' || operator === 'Blank' || operator === 'Present') return presenceCondition(leaf);
  if (isListType(column.type)) return listCondition(leaf);
  if (column.type === 'Json') return jsonCondition(leaf);
  if (leaf.variant === 'unstorable') return isNegated(operator) ? sql`1 = 1` : sql`1 = 0`;
  if (isRelativeDateOperator(operator)) return dateCondition(leaf);
  if (isTextOperator(operator)) return textCondition(leaf, asText(leaf));
  if (leaf.variant === 'null' && operator === 'Equal') return sql`${reference} is null`;
  if (leaf.variant === 'null' && operator === 'NotEqual') return sql`${reference} is not null`;
  if (showsMilliseconds(column) && equality.has(operator)) return millisecondCondition(leaf);
  if (operator === 'In' || operator === 'NotIn') return membership(leaf);
  if (column.type === 'Point') return pointCondition(leaf);
  return comparison(leaf);
}

/** The column as the text that its records show. */
export function asText({ column, reference }: Pick<LeafInput, 'column' | 'reference'>): Sql {
  switch (familyOf(column)) {
    case 'text':
      return reference;
    case 'opaque':
    case 'worded':
      // A cast would add the net mask of an address.
      return sql`format('%s', ${reference})`;
    default:
      return sql`${reference}::text`;
  }
}

/** The column in the form that is compared with a value of `comparedType`, without a loss of digits. */
export function comparable({ column, reference }: Pick<LeafInput, 'column' | 'reference'>): Sql {
  switch (familyOf(column)) {
    case 'money':
      return sql`${reference}::numeric`;
    case 'integer':
      // Beside a wider number PostgreSQL makes an oid of that, and refuses one that does not fit.
      return column.nativeType === 'oid' ? sql`${reference}::bigint` : reference;
    case 'enum':
      // PostgreSQL compares no domain over an enumeration, but the enumeration under it. An index of the domain serves both.
      return sql`${reference}::${sql.raw(column.nativeType)}`;
    case 'real':
      // The number that is shown, 0.1, and not what single precision makes of it in double, 0.100000001490116.
      return sql`${reference}::text::double precision`;
    case 'opaque':
    case 'worded':
      return asText({ column, reference });
    default:
      return reference;
  }
}

function isNegated(operator: Operator): boolean {
  return operator.startsWith('Not');
}

function presenceCondition({ column, reference, operator }: LeafInput): Sql {
  // The document `null` reads like no document at all.
  const present = column.type === 'Json' ? sql`nullif(${reference}::jsonb, 'null')` : reference;
  const isMissing = sql`${present} is null`;
  if (operator === 'Missing' || column.type !== 'String') {
    return operator === 'Present' ? sql`${present} is not null` : isMissing;
  }
  const text = asText({ column, reference });
  return operator === 'Blank' ? sql`(${isMissing} or ${text} = '')` : sql`(${reference} is not null and ${text} <> '')`;
}

function value(leaf: LeafInput): Sql {
  const type = sql.raw(comparedType(leaf.column));
  return sql`${slot(({ values }) => encodeForPostgres(leaf.column, values[leaf.index]))}::${type}`;
}

const signs: Partial<Record<Operator, Sql>> = {
  Equal: sql`=`,
  NotEqual: sql`is distinct from`,
  LessThan: sql`<`,
  Before: sql`<`,
  GreaterThan: sql`>`,
  After: sql`>`,
  LessThanOrEqual: sql`<=`,
  GreaterThanOrEqual: sql`>=`,
};

function comparison(leaf: LeafInput): Sql {
  const { column, operator } = leaf;
  const sign = signs[operator];
  if (!sign) throw cloudError('INTERNAL_BUG', `The operator ${operator} has no SQL.`);
  const family = familyOf(column);
  const isEquality = operator === 'Equal' || operator === 'NotEqual';
  if (family === 'citext' || family === 'padded-text') return looseTextComparison(leaf, sign, isEquality);
  if (family === 'integer' && leaf.variant === 'beyond-bigint') {
    const number = slot(({ values }) => encodeForPostgres(column, values[leaf.index]));
    return sql`${comparable(leaf)}::numeric ${sign} ${number}::numeric`;
  }
  if (column.type === 'String' && !isEquality) return sql`${asText(leaf)} collate "C" ${sign} ${value(leaf)}`;
  if (column.type === 'Enum' && !isEquality) return sql`${asText(leaf)} collate "C" ${sign} ${value(leaf)}::text`;
  if (column.type === 'Enum') return enumEquality(leaf, sign);
  return sql`${comparable(leaf)} ${sign} ${value(leaf)}`;
}

/** A value that the enumeration lost since it was read equals nothing, which a cast would turn into an error. */
function enumEquality(leaf: LeafInput, sign: Sql): Sql {
  const label = slot(({ values }) => encodeForPostgres(leaf.column, values[leaf.index]));
  const labels = sql`enum_range(null::${sql.raw(leaf.column.nativeType)})`;
  return leaf.operator === 'NotEqual'
    ? sql`${leaf.reference}::text ${sign} ${label}::text`
    : sql`${comparable(leaf)} = (select e from unnest(${labels}) e where e::text = ${label}::text)`;
}

/** Types whose own equality passes over case or trailing blanks: it finds the candidates by an index, the text decides. */
function looseTextComparison(leaf: LeafInput, sign: Sql, isEquality: boolean): Sql {
  const text = asText(leaf);
  const given = slot(({ values }) => encodeForPostgres(leaf.column, values[leaf.index]));
  if (leaf.operator !== 'Equal') return sql`${text}${isEquality ? sql`` : sql` collate "C"`} ${sign} ${given}::text`;
  const ownType = familyOf(leaf.column) === 'citext' ? leaf.column.nativeType : 'bpchar';
  return sql`(${leaf.reference} = ${given}::${sql.raw(ownType)} and ${text} = ${given}::text)`;
}

/** A whole list is one parameter, so that its length does not change the statement. */
function membership(leaf: LeafInput): Sql {
  const { column, reference, operator, variant } = leaf;
  const isOfTexts = ['citext', 'padded-text', 'enum', 'opaque', 'worded'].includes(familyOf(column));
  const list = slot(({ values }) => {
    const given = values[leaf.index];
    const items = Array.isArray(given) ? given.map((item: unknown) => comparedItem(column, item, true)) : [];
    const listColumn = { ...column, type: [column.type] as const };
    return encodeForPostgres(
      listColumn,
      items.filter((item) => item !== null && item !== undefined),
    );
  });
  const array = sql`${list}::${sql.raw(isOfTexts ? 'text' : comparedType(column))}[]`;
  const holdsNull = variant === 'null';
  if (column.type === 'Point') {
    const isThere = sql`exists (select from unnest(${array}) p where ${samePoint(reference, sql`p`)})`;
    return nullAware(isThere, reference, operator, holdsNull);
  }
  const compared = isOfTexts ? asText(leaf) : comparable(leaf);
  const isThere =
    column.type === 'Enum'
      ? sql`${comparable(leaf)} = any(array(select e from unnest(enum_range(null::${sql.raw(column.nativeType)})) e where e::text = any(${array})))`
      : sql`${compared} = any(${array})`;
  return nullAware(isThere, reference, operator, holdsNull);
}

function pointCondition(leaf: LeafInput): Sql {
  const isSame = samePoint(leaf.reference, value(leaf));
  return leaf.operator === 'NotEqual' ? sql`(not ${isSame} or ${leaf.reference} is null)` : isSame;
}

/** PostgreSQL's own comparison of points is a rough one. */
function samePoint(a: Sql, b: Sql): Sql {
  return sql`((${a})[0] = (${b})[0] and (${a})[1] = (${b})[1])`;
}
