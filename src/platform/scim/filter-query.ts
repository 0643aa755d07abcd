import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { scimError } from './scim-errors.ts';
import { type Comparison, type Filter, type FilterValue, invalidFilter } from './scim-filter.ts';
import { withoutSchema } from './scim-resources.ts';

type Condition = Expression<SqlBool>;

/** An attribute with one value, as a column. */
interface Single {
  /** `text` is the same in capital letters; `time` is in milliseconds since the epoch; `flag` is a condition. */
  readonly type: 'text' | 'exactText' | 'flag' | 'time';
  readonly column: Expression<unknown>;
}

/** An attribute with several values, each of which has parts. */
interface Several {
  readonly type: 'several';
  /** Whether a condition holds for one of the values. */
  readonly some: (condition: Condition) => Condition;
  readonly parts: Readonly<Record<string, Single>>;
}

/** What a kind of resource can be found and sorted by, with names in lower case: `name.givenname`. */
export type Attributes = Readonly<Record<string, Single | Several>>;

/** What clients want of a list. */
export interface WantedPage {
  readonly filter: Filter | undefined;
  readonly sort: { readonly by: string; readonly isDescending: boolean } | undefined;
  /** Counts from 1. */
  readonly startIndex: number;
  readonly count: number;
  /** Whether other kinds of resources are searched too, so that an attribute may be one of theirs. */
  readonly isOfSeveralKinds: boolean;
}

export const text = (column: RawBuilder<unknown>): Single => ({ type: 'text', column });
export const exactText = (column: RawBuilder<unknown>): Single => ({ type: 'exactText', column });
export const flag = (column: Condition): Single => ({ type: 'flag', column });
export const time = (column: RawBuilder<unknown>): Single => ({ type: 'time', column });
export const several = (some: Several['some'], parts: Several['parts']): Several => ({ type: 'several', some, parts });

/** Letters of ASCII are the same in capital letters, as `lower` of both engines has it for columns of the store. */
export function lowered(value: string): string {
  return value.replaceAll(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
}

/** By a name that a client has sent. */
function named<Found>(of: Readonly<Record<string, Found>>, name: string): Found | undefined {
  return Object.hasOwn(of, name) ? of[name] : undefined;
}

/**
 * A filter as a condition of SQL, which is true or false, and never null.
 *
 * @throws `REQUEST_INVALID` for an attribute that is not there, unless it may be one of another kind.
 */
export function conditionOf(attributes: Attributes, filter: Filter, isOfSeveralKinds: boolean): Condition {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const parts = filter.parts.map((part) => conditionOf(attributes, part, isOfSeveralKinds));
      return sql<SqlBool>`(${sql.join(parts, filter.kind === 'and' ? sql` and ` : sql` or `)})`;
    }
    case 'not':
      return sql<SqlBool>`not (${conditionOf(attributes, filter.part, isOfSeveralKinds)})`;
    case 'some': {
      const attribute = named(attributes, filter.attribute);
      if (attribute?.type === 'several') return attribute.some(conditionOf(attribute.parts, filter.part, false));
      break;
    }
    case 'present':
      return withColumn(attributes, filter, isOfSeveralKinds, isPresent);
    case 'compare': {
      const { comparison, value, attribute } = filter;
      return withColumn(attributes, filter, isOfSeveralKinds, (single) =>
        compared(single, comparison, value, attribute),
      );
    }
  }
  return unknownAttribute(attributes, filter.attribute, isOfSeveralKinds);
}

/** The columns to sort by. Resources without a value come last, and first where it descends (RFC 7644, 3.4.2.3). */
export function sortOf(attributes: Attributes, { by, isDescending }: NonNullable<WantedPage['sort']>) {
  const name = withoutSchema(by).toLowerCase();
  const found = named(attributes, name) ?? named(attributes, name.replace(/\.value$/, ''));
  const single = found?.type === 'several' ? undefined : found;
  if (!single) {
    const names = Object.keys(attributes).filter((each) => attributes[each]?.type !== 'several');
    const nextStep = `Sort by one of: ${names.join(', ')}.`;
    throw scimError('invalidValue', `Resources cannot be sorted by "${by}".`, nextStep);
  }
  const direction = isDescending ? sql`desc` : sql`asc`;
  const value = single.type === 'flag' ? sql`case when ${single.column} then 1 else 0 end` : comparable(single);
  return sql`case when ${isPresent(single)} then 0 else 1 end ${direction}, ${value} ${direction}`;
}

function withColumn(
  attributes: Attributes,
  { attribute }: { readonly attribute: string },
  isOfSeveralKinds: boolean,
  condition: (single: Single) => Condition,
): Condition {
  const [root = '', part = 'value'] = attribute.split('.');
  const whole = named(attributes, attribute);
  if (whole && whole.type !== 'several') return condition(whole);
  const list = named(attributes, root);
  const single = list?.type === 'several' ? named(list.parts, part) : undefined;
  if (list?.type === 'several' && single) return list.some(condition(single));
  return unknownAttribute(attributes, attribute, isOfSeveralKinds);
}

/** A resource without the attribute has no value of it (RFC 7644, 3.4.2.1). */
function unknownAttribute(attributes: Attributes, attribute: string, isOfSeveralKinds: boolean): Condition {
  if (isOfSeveralKinds) return sql<SqlBool>`1 = 0`;
  const nextStep = `Attributes: ${Object.keys(attributes).join(', ')}.`;
  throw invalidFilter(`The attribute "${attribute}" cannot be filtered by`, nextStep);
}

function isPresent({ type, column }: Single): Condition {
  if (type === 'flag') return sql<SqlBool>`1 = 1`;
  const isSet = sql<SqlBool>`${column} is not null`;
  return type === 'time' ? isSet : sql<SqlBool>`(${isSet} and ${column} <> '')`;
}

function comparable({ type, column }: Single): Expression<unknown> {
  return type === 'text' ? sql`lower(${column})` : column;
}

function compared(single: Single, comparison: Comparison, value: FilterValue, name: string): Condition {
  if (value === null) {
    if (comparison === 'eq') return sql<SqlBool>`not ${isPresent(single)}`;
    if (comparison === 'ne') return isPresent(single);
  }
  const held = heldComparison(single, comparison, value);
  if (held) return held;
  const nextStep = 'Compare flags with eq and ne, times with eq, ne, gt, ge, lt and le, texts with texts.';
  throw invalidFilter(`"${name}" cannot be compared by "${comparison}" with ${JSON.stringify(value)}`, nextStep);
}

/** `undefined` where the comparison does not fit the type of the attribute, or of the value. */
function heldComparison(single: Single, comparison: Comparison, value: FilterValue): Condition | undefined {
  switch (single.type) {
    case 'flag': {
      const wanted = /^(?:true|false)$/i.test(String(value)) ? String(value).toLowerCase() === 'true' : undefined;
      if (wanted === undefined || (comparison !== 'eq' && comparison !== 'ne')) return undefined;
      return wanted === (comparison === 'eq') ? (single.column as Condition) : sql<SqlBool>`not (${single.column})`;
    }
    case 'time': {
      const wanted = typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value) ? Date.parse(value) : Number.NaN;
      const operator = operators[comparison];
      return Number.isNaN(wanted) || !operator ? undefined : ordered(single, operator, sql`${wanted}`);
    }
    case 'text':
    case 'exactText': {
      if (typeof value !== 'string' && typeof value !== 'number') return undefined;
      const own = String(value);
      return textComparison(single, comparison, single.type === 'text' ? lowered(own) : own);
    }
  }
}

const operators: Partial<Record<Comparison, RawBuilder<unknown>>> = {
  eq: sql`=`,
  ne: sql`<>`,
  gt: sql`>`,
  ge: sql`>=`,
  lt: sql`<`,
  le: sql`<=`,
};

function textComparison(single: Single, comparison: Comparison, wanted: string): Condition {
  const [own, value] = [comparable(single), sql`cast(${wanted} as text)`];
  const operator = operators[comparison];
  if (operator) return ordered(single, operator, value);
  const isSet = sql<SqlBool>`${single.column} is not null`;
  if (wanted === '') return isSet;
  // `like` differs between the engines.
  if (comparison === 'co') return sql<SqlBool>`(${isSet} and replace(${own}, ${value}, '') <> ${own})`;
  if (comparison === 'sw') return sql<SqlBool>`(${isSet} and substr(${own}, 1, length(${value})) = ${value})`;
  const begin = sql`length(${own}) - length(${value}) + 1`;
  return sql<SqlBool>`(${isSet} and ${begin} > 0 and substr(${own}, ${begin}) = ${value})`;
}

/** What has no value is no other value's equal. */
function ordered(single: Single, operator: RawBuilder<unknown>, value: RawBuilder<unknown>): Condition {
  const isMissing = sql<SqlBool>`${single.column} is null`;
  const holds = sql<SqlBool>`${comparable(single)} ${operator} ${value}`;
  return operator === operators.ne
    ? sql<SqlBool>`(${isMissing} or ${holds})`
    : sql<SqlBool>`(not (${isMissing}) and ${holds})`;
}
