import type { DateTime } from 'luxon';
import type { MongoDocument } from '#kernel/ports/mongo-database';
import type { ColumnSchema, ColumnType } from '../../query/collection-schema.ts';
import type { ConditionLeaf } from '../../query/condition-tree.ts';
import { anyCaseSource, escapeRegExp, likeSource } from '../../query/like-pattern.ts';
import { isListType, type Operator, operatorsOfType } from '../../query/operators.ts';
import { isRelativeDateOperator, relativeInterval } from '../../query/relative-dates.ts';
import { comparableOf } from '../../query/value-order.ts';
import { encodeOperand } from './document-values.ts';

/** A filter that no document fulfils. */
export const nothing: MongoDocument = { $nor: [{}] };

type Comparison = '$lt' | '$lte' | '$gt' | '$gte';
/** The source of the regular expression that finds a text. */
type Pattern = (text: string) => string;

const comparisons: Partial<Record<Operator, Comparison>> = {
  LessThan: '$lt',
  LessThanOrEqual: '$lte',
  GreaterThan: '$gt',
  GreaterThanOrEqual: '$gte',
  Before: '$lt',
  After: '$gt',
};

// The `$` of a regular expression would also match before a last line break.
const end = '(?![\\s\\S])';
const like = (literal?: Pattern) => (text: string) => `^${likeSource(text, literal)}${end}`;

const patterns: Partial<Record<Operator, Pattern>> = {
  Contains: escapeRegExp,
  StartsWith: (text) => `^${escapeRegExp(text)}`,
  EndsWith: (text) => `${escapeRegExp(text)}${end}`,
  Like: like(),
  IContains: anyCaseSource,
  IStartsWith: (text) => `^${anyCaseSource(text)}`,
  IEndsWith: (text) => `${anyCaseSource(text)}${end}`,
  ILike: like(anyCaseSource),
};

const opposites: Partial<Record<Operator, Operator>> = { NotContains: 'Contains', NotIContains: 'IContains' };

const presence = ['Present', 'Blank', 'Missing'] as const satisfies readonly Operator[];
const equality = ['Equal', 'NotEqual', 'In', 'NotIn', ...presence] as const satisfies readonly Operator[];
const order = [
  'LessThan',
  'LessThanOrEqual',
  'GreaterThan',
  'GreaterThanOrEqual',
] as const satisfies readonly Operator[];

/** What a filter of MongoDB can say of a column of the type. */
export function mongoOperatorsOf(type: ColumnType): ReadonlySet<Operator> {
  if (isListType(type)) return new Set([...presence, 'IncludesAll', 'IncludesNone']);
  if (type === 'Json' || typeof type !== 'string') return new Set(presence);
  const ofType = [...operatorsOfType(type)].filter((operator) => !operator.startsWith('Includes'));
  return new Set([...ofType, ...equality, ...(['Date', 'Number', 'String'].includes(type) ? order : [])]);
}

/**
 * The filter that a leaf amounts to on the value at `path`. A field that a document does not have is like one that is null.
 *
 * @param now the present, in the time zone of the caller.
 */
export function leafFilter(path: string, column: ColumnSchema, leaf: ConditionLeaf, now: DateTime): MongoDocument {
  const { operator, value } = leaf;
  if (isRelativeDateOperator(operator)) return relativeFilter(path, leaf, now);
  const opposite = opposites[operator];
  if (opposite) return { $nor: [leafFilter(path, column, { ...leaf, operator: opposite }, now)] };
  const pattern = patterns[operator];
  if (pattern) return typeof value === 'string' ? matching(path, column, pattern(value)) : nothing;
  const comparison = comparisons[operator];
  if (comparison) return comparisonFilter(path, column, comparison, value);
  if (mayHoldList(column.type)) {
    const isNull = { $expr: { $in: [{ $type: `$${path}` }, ['missing', 'null', 'undefined']] } };
    if (operator === 'Missing' || operator === 'Blank') return isNull;
    if (operator === 'Present') return { $nor: [isNull] };
  }
  const blank = column.type === 'String' ? [null, ''] : [null];
  switch (operator) {
    case 'Missing':
      return { [path]: { $eq: null } };
    case 'Blank':
      return { [path]: { $in: blank } };
    case 'Present':
      return { [path]: { $nin: blank } };
    case 'Equal':
      return membership(path, column, [value], '$in');
    case 'NotEqual':
      return membership(path, column, [value], '$nin');
    case 'In':
      return membership(path, column, listOf(value), '$in');
    case 'NotIn':
      return membership(path, column, listOf(value), '$nin');
    case 'LongerThan':
      return lengthFilter(path, column, '$gt', value);
    case 'ShorterThan':
      return lengthFilter(path, column, '$lt', value);
    case 'IncludesAll':
      return inclusion(path, encodedItems(column, value));
    case 'IncludesNone':
      return { [path]: { $nin: encodedItems(column, value) } };
    default:
      return nothing;
  }
}

/** A filter on a list is met by its items too: one with a null in it would be missing. */
function mayHoldList(type: ColumnType): boolean {
  return isListType(type) || type === 'Json';
}

function membership(path: string, column: ColumnSchema, values: readonly unknown[], operator: '$in' | '$nin') {
  const items = values.filter((value) => canBeStored(column, value)).map((value) => encodeOperand(column, value));
  const [only] = items;
  if (items.length === 1) return { [path]: { [operator === '$in' ? '$eq' : '$ne']: only } };
  return { [path]: { [operator]: items } };
}

/** Documents hold instants in milliseconds: none equals one with more digits. */
function canBeStored({ type }: ColumnSchema, value: unknown): boolean {
  if (type !== 'Date' || value === null || value === undefined) return true;
  return instantOf(value)?.isWhole === true;
}

function comparisonFilter(path: string, column: ColumnSchema, comparison: Comparison, value: unknown): MongoDocument {
  if (value === null || value === undefined) return nothing;
  if (column.type !== 'Date') return { [path]: { [comparison]: encodeOperand(column, value) } };
  const instant = instantOf(value);
  if (!instant) return nothing;
  // The instant is behind its millisecond, where it has more digits.
  const behind = { $lt: '$lte', $lte: '$lte', $gt: '$gt', $gte: '$gt' } as const;
  return { [path]: { [instant.isWhole ? comparison : behind[comparison]]: instant.date } };
}

function instantOf(value: unknown): { readonly date: Date; readonly isWhole: boolean } | undefined {
  const nanoseconds = comparableOf('Date')(value);
  if (typeof nanoseconds !== 'bigint') return undefined;
  const beyond = ((nanoseconds % 1_000_000n) + 1_000_000n) % 1_000_000n;
  return { date: new Date(Number((nanoseconds - beyond) / 1_000_000n)), isWhole: beyond === 0n };
}

function relativeFilter(path: string, { operator, value }: ConditionLeaf, now: DateTime): MongoDocument {
  const { from, after, before } = relativeInterval(operator, value, now);
  return {
    [path]: {
      ...(from ? { $gte: from.toJSDate() } : {}),
      ...(after ? { $gt: after.toJSDate() } : {}),
      ...(before ? { $lt: before.toJSDate() } : {}),
    },
  };
}

function matching(path: string, column: ColumnSchema, pattern: string): MongoDocument {
  // MongoDB takes no pattern with a null character in it.
  const regex = pattern.replaceAll('\0', '\\x00');
  if (column.nativeType !== 'objectId') return { [path]: { $regex: regex, $options: 'u' } };
  return { $expr: { $regexMatch: { input: textAt(path, column), regex } } };
}

function lengthFilter(path: string, column: ColumnSchema, comparison: '$gt' | '$lt', value: unknown): MongoDocument {
  const length = { $strLenCP: { $ifNull: [textAt(path, column), ''] } };
  return { $and: [{ [path]: { $ne: null } }, { $expr: { [comparison]: [length, Number(value)] } }] };
}

/** The text of a value; null if there is none, whatever else the document holds there. */
function textAt(path: string, { nativeType }: ColumnSchema): MongoDocument {
  if (nativeType === 'objectId') return { $convert: { input: `$${path}`, to: 'string', onError: null, onNull: null } };
  return { $cond: [{ $eq: [{ $type: `$${path}` }, 'string'] }, `$${path}`, null] };
}

function inclusion(path: string, items: readonly unknown[]): MongoDocument {
  return items.length === 0 ? { [path]: { $type: 'array' } } : { [path]: { $all: items } };
}

function encodedItems(column: ColumnSchema, value: unknown): readonly unknown[] {
  const items = encodeOperand(column, listOf(value));
  return Array.isArray(items) ? items : [items];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === null || value === undefined ? [] : [value];
}
