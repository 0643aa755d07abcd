import type { DateTime } from 'luxon';
import type { ColumnType } from './column-type.ts';
import type { ConditionLeaf, ConditionTree } from './condition-tree.ts';
import { anyCaseSource, escapeLike, escapeRegExp, likeToRegExp } from './like-pattern.ts';
import type { Operator } from './operators.ts';
import { isRelativeDateOperator, relativeDays, relativeInterval } from './relative-dates.ts';

/** The input of a rewrite, besides its leaf. */
export interface RewriteContext {
  readonly type: ColumnType;
  /** Whether records may have no value; when not, some operators need less. */
  readonly isNullable: boolean;
  /** The present, in the time zone of the caller. */
  readonly now: DateTime;
}

/** One way to say an operator by others. */
export interface Rewrite {
  /** The operators that the rewrite uses. */
  readonly needs: readonly Operator[];
  readonly fits?: (type: ColumnType, isNullable: boolean) => boolean;
  readonly write: (leaf: ConditionLeaf, context: RewriteContext) => ConditionTree;
}

const isText = (type: ColumnType) => type === 'String';
const isOther = (type: ColumnType) => type !== 'String';
const isScalar = (type: ColumnType) => typeof type === 'string';
const isNoInstant = (type: ColumnType) => type !== 'Date';
const isTemporal = (type: ColumnType) => type === 'Date' || type === 'Dateonly';
const isRequiredText = (type: ColumnType, isNullable: boolean) => type === 'String' && !isNullable;

const as =
  (operator: Operator, change: (value: unknown) => unknown = (value) => value): Rewrite['write'] =>
  ({ field, value }) => ({ field, operator, value: change(value) });

const any = (conditions: readonly ConditionTree[]): ConditionTree => ({ aggregator: 'Or', conditions });
const all = (conditions: readonly ConditionTree[]): ConditionTree => ({ aggregator: 'And', conditions });
const items = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const matching = (field: string, expression: RegExp): ConditionTree => ({
  field,
  operator: 'Match',
  value: expression,
});
const missing = (field: string): ConditionTree => ({ field, operator: 'Missing', value: null });

function either(first: Operator, second: Operator): Rewrite['write'] {
  return ({ field, value }) => any([first, second].map((operator) => ({ field, operator, value })));
}

function both(first: Operator, second: Operator): Rewrite['write'] {
  return ({ field, value }) => all([first, second].map((operator) => ({ field, operator, value })));
}

function pattern(operator: 'Like' | 'ILike', wrap: (literal: string) => string): Rewrite {
  return { needs: [operator], fits: isText, write: as(operator, (value) => wrap(escapeLike(String(value)))) };
}

/** The texts of a list, each matched from its first character to its last. */
function anyOf(values: readonly unknown[]): string {
  return `(?:${values.map((value) => escapeRegExp(String(value))).join('|')})$`;
}

function membershipByMatch({ field, value }: ConditionLeaf, { isNullable }: RewriteContext): ConditionTree {
  const texts = items(value).filter((item) => item !== null);
  const conditions = texts.length > 0 ? [matching(field, new RegExp(`^${anyOf(texts)}`, 'u'))] : [];
  return any(isNullable && items(value).includes(null) ? [...conditions, missing(field)] : conditions);
}

/** Every text but some; records without a value as well, unless the list holds `null`. */
function nonMembershipByMatch({ field, value }: ConditionLeaf, { isNullable }: RewriteContext): ConditionTree {
  const texts = items(value).filter((item) => item !== null);
  const others = matching(field, texts.length > 0 ? new RegExp(`^(?!${anyOf(texts)})`, 'u') : /^/u);
  return !isNullable || items(value).includes(null) ? others : any([others, missing(field)]);
}

function absence(sourceOf: (text: string) => string): Rewrite['write'] {
  return ({ field, value }, { isNullable }) => {
    const without = matching(field, new RegExp(`^(?![\\s\\S]*${sourceOf(String(value))})`, 'u'));
    return isNullable ? any([without, missing(field)]) : without;
  };
}

/** More characters than any text has: larger numbers are not written out in full, and make no expression. */
const beyondAnyText = 2 ** 30;

function lengthBetween(field: string, shortest: number, longest: number): ConditionTree {
  if (shortest > beyondAnyText) return any([]);
  const most = longest > beyondAnyText ? '' : longest;
  return matching(field, new RegExp(`^[\\s\\S]{${Math.max(shortest, 0)},${most}}$`, 'u'));
}

/** The stretch of time that an operator means, written with the order of dates. */
export function intervalCondition(
  { field, operator, value }: ConditionLeaf,
  { type, now }: Pick<RewriteContext, 'type' | 'now'>,
): ConditionTree {
  const edges = type === 'Dateonly' ? relativeDays(operator, value, now) : relativeInterval(operator, value, now);
  const textOf = (edge: string | DateTime) => (typeof edge === 'string' ? edge : edge.toUTC().toISO());
  const conditions: ConditionTree[] = [];
  if (edges.from) conditions.push({ field, operator: 'GreaterThanOrEqual', value: textOf(edges.from) });
  if (edges.after) conditions.push({ field, operator: 'GreaterThan', value: textOf(edges.after) });
  if (edges.before) conditions.push({ field, operator: 'LessThan', value: textOf(edges.before) });
  const [only] = conditions;
  return conditions.length === 1 && only ? only : all(conditions);
}

const stretch: Rewrite = { needs: ['GreaterThanOrEqual', 'LessThan'], fits: isTemporal, write: intervalCondition };
const until: Rewrite = { needs: ['LessThan'], fits: isTemporal, write: intervalCondition };
const since: Rewrite = { needs: ['GreaterThan'], fits: isTemporal, write: intervalCondition };
const sinceOperators: readonly Operator[] = ['Future', 'AfterXHoursAgo'];
const untilOperators: readonly Operator[] = ['Past', 'BeforeXHoursAgo'];

const rewrites: Partial<Record<Operator, readonly Rewrite[]>> = {
  Equal: [{ needs: ['In'], write: as('In', (value) => [value ?? null]) }],
  NotEqual: [{ needs: ['NotIn'], write: as('NotIn', (value) => [value ?? null]) }],
  Missing: [
    { needs: ['Equal'], write: as('Equal', () => null) },
    { needs: ['Blank'], fits: isOther, write: as('Blank', () => null) },
  ],
  Blank: [
    { needs: ['In'], fits: isText, write: as('In', () => [null, '']) },
    { needs: ['Missing'], fits: isOther, write: as('Missing', () => null) },
  ],
  Present: [
    { needs: ['NotIn'], fits: isText, write: as('NotIn', () => [null, '']) },
    { needs: ['NotEqual'], fits: isOther, write: as('NotEqual', () => null) },
  ],
  In: [
    { needs: ['Match', 'Missing'], fits: isText, write: membershipByMatch },
    { needs: ['Match'], fits: isRequiredText, write: membershipByMatch },
    {
      needs: ['Equal'],
      write: ({ field, value }) => any(items(value).map((item) => ({ field, operator: 'Equal', value: item }))),
    },
  ],
  NotIn: [
    {
      needs: ['NotEqual'],
      write: ({ field, value }) => all(items(value).map((item) => ({ field, operator: 'NotEqual', value: item }))),
    },
    { needs: ['Match', 'Missing'], fits: isText, write: nonMembershipByMatch },
    { needs: ['Match'], fits: isRequiredText, write: nonMembershipByMatch },
  ],
  LessThanOrEqual: [{ needs: ['LessThan', 'Equal'], write: either('LessThan', 'Equal') }],
  GreaterThanOrEqual: [{ needs: ['GreaterThan', 'Equal'], write: either('GreaterThan', 'Equal') }],
  LessThan: [
    { needs: ['Before'], fits: isTemporal, write: as('Before') },
    { needs: ['LessThanOrEqual', 'NotEqual'], write: both('LessThanOrEqual', 'NotEqual') },
  ],
  GreaterThan: [
    { needs: ['After'], fits: isTemporal, write: as('After') },
    // An instant that equals by the millisecond may lie behind the one it is compared with.
    { needs: ['GreaterThanOrEqual', 'NotEqual'], fits: isNoInstant, write: both('GreaterThanOrEqual', 'NotEqual') },
  ],
  Before: [{ needs: ['LessThan'], fits: isTemporal, write: as('LessThan') }],
  After: [{ needs: ['GreaterThan'], fits: isTemporal, write: as('GreaterThan') }],
  Contains: [pattern('Like', (literal) => `%${literal}%`)],
  StartsWith: [pattern('Like', (literal) => `${literal}%`)],
  EndsWith: [pattern('Like', (literal) => `%${literal}`)],
  IContains: [pattern('ILike', (literal) => `%${literal}%`)],
  IStartsWith: [pattern('ILike', (literal) => `${literal}%`)],
  IEndsWith: [pattern('ILike', (literal) => `%${literal}`)],
  Like: [{ needs: ['Match'], fits: isText, write: ({ field, value }) => matching(field, likeToRegExp(String(value))) }],
  ILike: [
    {
      needs: ['Match'],
      fits: isText,
      write: ({ field, value }) => matching(field, likeToRegExp(String(value), anyCaseSource)),
    },
  ],
  NotContains: [
    { needs: ['Match', 'Missing'], fits: isText, write: absence(escapeRegExp) },
    { needs: ['Match'], fits: isRequiredText, write: absence(escapeRegExp) },
  ],
  NotIContains: [
    { needs: ['Match', 'Missing'], fits: isText, write: absence(anyCaseSource) },
    { needs: ['Match'], fits: isRequiredText, write: absence(anyCaseSource) },
  ],
  LongerThan: [
    {
      needs: ['Match'],
      fits: isText,
      write: ({ field, value }) => lengthBetween(field, Math.floor(Number(value)) + 1, Number.POSITIVE_INFINITY),
    },
  ],
  ShorterThan: [
    {
      needs: ['Match'],
      fits: isText,
      write: ({ field, value }) =>
        Number(value) > 0 ? lengthBetween(field, 0, Math.ceil(Number(value)) - 1) : any([]),
    },
  ],
  IncludesAll: [
    {
      needs: ['Equal', 'NotEqual'],
      fits: isScalar,
      write: ({ field, value }) =>
        all([
          { field, operator: 'NotEqual', value: null },
          ...items(value).map((item) => ({ field, operator: 'Equal', value: item }) as const),
        ]),
    },
  ],
  IncludesNone: [
    { needs: ['NotIn'], fits: isScalar, write: as('NotIn', (value) => items(value).filter((item) => item !== null)) },
  ],
};

/** The ways to say an operator by others, the best first. */
export function rewritesOf(operator: Operator): readonly Rewrite[] {
  if (!isRelativeDateOperator(operator)) return rewrites[operator] ?? [];
  return [untilOperators.includes(operator) ? until : sinceOperators.includes(operator) ? since : stretch];
}
