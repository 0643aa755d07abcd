import type { DateTime } from 'luxon';
import { simpleLowerCase } from '#kernel/text/simple-lower-case';
import type { ColumnSchema } from './collection-schema.ts';
import type { ConditionLeaf } from './condition-tree.ts';
import { meansMillisecond, showsMilliseconds } from './instant-precision.ts';
import { likeMatcher } from './like-matcher.ts';
import { isListType, type Operator } from './operators.ts';
import { isRelativeDateOperator, relativeDays, relativeInterval } from './relative-dates.ts';
import { textPattern } from './text-pattern.ts';
import {
  type ComparableValue,
  codePointLength,
  comparableOf,
  compareValues,
  identityOf,
  millisecondOf,
} from './value-order.ts';

/** Whether a value of the leaf's column fulfils it. */
export type ValuePredicate = (value: unknown) => boolean;

type PredicateOf = (leaf: ConditionLeaf, column: ColumnSchema) => ValuePredicate;
type TextTest = (text: string) => boolean;

const never: ValuePredicate = () => false;

/** The check that the operator of a leaf makes on values of its column; `now` is the present in the caller's time zone. */
export function leafPredicate(leaf: ConditionLeaf, column: ColumnSchema, now: DateTime): ValuePredicate {
  if (isRelativeDateOperator(leaf.operator)) return relativePredicate(leaf, column, now);
  return predicates[leaf.operator]?.(leaf, column) ?? never;
}

const isNull = (value: unknown) => value === null || value === undefined;

const isBlank: PredicateOf = (_leaf, column) =>
  column.type === 'String' ? (value) => isNull(value) || value === '' : isNull;

const predicates: Partial<Record<Operator, PredicateOf>> = {
  Missing: () => isNull,
  Blank: isBlank,
  Present: negated(isBlank),
  Equal: equality,
  NotEqual: negated(equality),
  In: membership,
  NotIn: negated(membership),
  LessThan: order((sign) => sign < 0),
  LessThanOrEqual: orderOrEqual((sign) => sign <= 0),
  GreaterThan: order((sign) => sign > 0),
  GreaterThanOrEqual: orderOrEqual((sign) => sign >= 0),
  Before: order((sign) => sign < 0),
  After: order((sign) => sign > 0),
  Contains: text((wanted) => (found) => found.includes(wanted)),
  NotContains: negated(text((wanted) => (found) => found.includes(wanted))),
  StartsWith: text((wanted) => (found) => found.startsWith(wanted)),
  EndsWith: text((wanted) => (found) => found.endsWith(wanted)),
  Like: text(likeMatcher),
  IContains: folded((wanted) => (found) => found.includes(wanted)),
  NotIContains: negated(folded((wanted) => (found) => found.includes(wanted))),
  IStartsWith: folded((wanted) => (found) => found.startsWith(wanted)),
  IEndsWith: folded((wanted) => (found) => found.endsWith(wanted)),
  ILike: folded(likeMatcher),
  LongerThan: (leaf) => onLength((length) => length > Number(leaf.value)),
  ShorterThan: (leaf) => onLength((length) => length < Number(leaf.value)),
  Match: (leaf) => matching(leaf.value),
  IncludesAll: includesAll,
  IncludesNone: includesNone,
};

function negated(predicateOf: PredicateOf): PredicateOf {
  return (leaf, column) => {
    const predicate = predicateOf(leaf, column);
    return (value) => !predicate(value);
  };
}

function equality(leaf: ConditionLeaf, column: ColumnSchema): ValuePredicate {
  if (isNull(leaf.value)) return isNull;
  const { type } = column;
  if (showsMilliseconds(column)) return amongInstants([leaf.value]);
  const comparable = comparableOf(type);
  const wanted = comparable(leaf.value);
  return (value) => !isNull(value) && compareValues(comparable(value), wanted) === 0;
}

function membership(leaf: ConditionLeaf, column: ColumnSchema): ValuePredicate {
  const items = listOf(leaf.value);
  const present = items.filter((item) => !isNull(item));
  const isAmong = showsMilliseconds(column) ? amongInstants(present) : among(present, comparableOf(column.type));
  const holdsNull = items.some(isNull);
  return (value) => (isNull(value) ? holdsNull : isAmong(value));
}

function among(items: readonly unknown[], comparable: (value: unknown) => ComparableValue): ValuePredicate {
  if (items.length === 0) return never;
  const wanted = new Set(items.map((item) => identityOf(comparable(item))));
  return (value) => !isNull(value) && wanted.has(identityOf(comparable(value)));
}

/** An item without digits beyond the milliseconds means every instant of its own. */
function amongInstants(items: readonly unknown[]): ValuePredicate {
  const { true: whole = [], false: exact = [] } = Object.groupBy(items, (item) => `${meansMillisecond(item)}`);
  const isInMillisecond = among(whole, millisecondOf);
  const isExactly = among(exact, comparableOf('Date'));
  return (value) => isInMillisecond(value) || isExactly(value);
}

function order(accepts: (sign: number) => boolean): PredicateOf {
  return (leaf, { type }) => {
    if (isNull(leaf.value)) return never;
    const comparable = comparableOf(type);
    const wanted = comparable(leaf.value);
    return (value) => !isNull(value) && accepts(compareValues(comparable(value), wanted));
  };
}

/** An instant that equals by the millisecond may lie on the other side of the one that it is compared with. */
function orderOrEqual(accepts: (sign: number) => boolean): PredicateOf {
  return (leaf, column) => {
    const isInOrder = order(accepts)(leaf, column);
    if (isNull(leaf.value) || !showsMilliseconds(column)) return isInOrder;
    const isEqual = equality(leaf, column);
    return (value) => isInOrder(value) || isEqual(value);
  };
}

function onText(test: TextTest): ValuePredicate {
  return (value) => typeof value === 'string' && test(value);
}

/** Compares the length: of a text in characters, of bytes in bytes. */
function onLength(test: (length: number) => boolean): ValuePredicate {
  const ofText = onText((found) => test(codePointLength(found)));
  return (value) => (value instanceof Uint8Array ? test(value.byteLength) : ofText(value));
}

function text(testOf: (wanted: string) => TextTest): PredicateOf {
  return (leaf) => (typeof leaf.value === 'string' ? onText(testOf(leaf.value)) : never);
}

function folded(testOf: (wanted: string) => TextTest): PredicateOf {
  return (leaf) => {
    if (typeof leaf.value !== 'string') return never;
    const test = testOf(simpleLowerCase(leaf.value));
    return onText((found) => test(simpleLowerCase(found)));
  };
}

function matching(value: unknown): ValuePredicate {
  return value instanceof RegExp || typeof value === 'string' ? onText(textPattern(value)) : never;
}

/** The items of a list column; a column of single values counts as a list of one. */
function itemsOf({ type }: ColumnSchema): (value: unknown) => ReadonlySet<string> {
  const identity = identityIn(isListType(type) ? type[0] : type);
  return (value) => new Set((isListType(type) ? listOf(value) : [value]).map(identity));
}

function includesAll(leaf: ConditionLeaf, column: ColumnSchema): ValuePredicate {
  const wanted = [...itemsOf({ ...column, type: [itemTypeOf(column)] })(leaf.value)];
  const items = itemsOf(column);
  return (value) => {
    if (isNull(value)) return false;
    const found = items(value);
    return wanted.every((item) => found.has(item));
  };
}

function includesNone(leaf: ConditionLeaf, column: ColumnSchema): ValuePredicate {
  const unwanted = itemsOf({ ...column, type: [itemTypeOf(column)] })(leaf.value);
  const items = itemsOf(column);
  return (value) => isNull(value) || items(value).isDisjointFrom(unwanted);
}

function itemTypeOf({ type }: ColumnSchema) {
  return isListType(type) ? type[0] : type;
}

function identityIn(type: ColumnSchema['type']): (value: unknown) => string {
  const comparable = comparableOf(type);
  return (value) => (isNull(value) ? 'null' : `=${identityOf(comparable(value))}`);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : isNull(value) ? [] : [value];
}

function relativePredicate(leaf: ConditionLeaf, { type }: ColumnSchema, now: DateTime): ValuePredicate {
  const interval = type === 'Dateonly' ? relativeDays : relativeInterval;
  const { from, after, before } = interval(leaf.operator, leaf.value, now);
  const comparable = comparableOf(type);
  const bound = (edge: string | DateTime | undefined): ComparableValue | undefined =>
    edge === undefined ? undefined : comparable(typeof edge === 'string' ? edge : edge.toJSDate());
  const [first, previous, end] = [bound(from), bound(after), bound(before)];
  return (value) => {
    if (isNull(value)) return false;
    const found = comparable(value);
    if (first !== undefined && compareValues(found, first) < 0) return false;
    if (previous !== undefined && compareValues(found, previous) <= 0) return false;
    return end === undefined || compareValues(found, end) < 0;
  };
}
