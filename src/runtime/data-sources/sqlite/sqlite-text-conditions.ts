import { sql } from 'kysely';
import { cloudError } from '#kernel/errors/cloud-error';
import { simpleLowerCase } from '#kernel/text/simple-lower-case';
import type { Operator } from '../../query/operators.ts';
import type { LeafInput, Sql } from '../sql/sql-dialect.ts';
import { slot } from '../sql/statement-parameters.ts';

type PatternOf = (text: string, dialect: Wildcards) => string;

/** How a kind of pattern writes "anything", and a text that is meant literally. */
interface Wildcards {
  readonly any: string;
  readonly one: string;
  literal(text: string): string;
}

const glob: Wildcards = { any: '*', one: '?', literal: (text) => text.replaceAll(/[*?[]/g, (sign) => `[${sign}]`) };
const like: Wildcards = { any: '%', one: '_', literal: (text) => text.replaceAll(/[%_\\]/g, (sign) => `\\${sign}`) };

const patterns: Partial<
  Record<Operator, { readonly pattern: PatternOf; readonly ignoresCase: boolean; readonly isNegated?: true }>
> = {
  Contains: { pattern: contains, ignoresCase: false },
  NotContains: { pattern: contains, ignoresCase: false, isNegated: true },
  StartsWith: { pattern: startsWith, ignoresCase: false },
  EndsWith: { pattern: endsWith, ignoresCase: false },
  Like: { pattern: fromLike, ignoresCase: false },
  IContains: { pattern: contains, ignoresCase: true },
  NotIContains: { pattern: contains, ignoresCase: true, isNegated: true },
  IStartsWith: { pattern: startsWith, ignoresCase: true },
  IEndsWith: { pattern: endsWith, ignoresCase: true },
  ILike: { pattern: fromLike, ignoresCase: true },
};

/** Characters that a pattern of SQLite certainly holds, however many bytes each of them takes once it is escaped. */
const maxPatternLength = 5000;

/** Whether the operator compares with a pattern. */
export function isTextPattern(operator: Operator): boolean {
  return operator in patterns;
}

/**
 * The way to compare with a value where SQLite's own patterns fail. They end at a null character and are limited in length:
 * `long` does without them. LIKE folds ASCII letters only: `unicode` folds all letters, `ascii` the two other characters
 * whose lower case is an ASCII letter.
 */
export function textVariant(operator: Operator, value: unknown): string {
  const kind = patterns[operator];
  if (!kind || typeof value !== 'string') return '';
  if (value.includes('\0') || value.length > maxPatternLength) return 'long';
  if (!kind.ignoresCase) return '';
  if (/[^\p{ASCII}]/u.test(value)) return 'unicode';
  return /[ik]/i.test(value) ? 'ascii' : '';
}

export function textCondition(leaf: LeafInput): Sql {
  const { reference, operator } = leaf;
  if (operator === 'LongerThan') return sql`length(${reference}) > ${slot(({ values }) => Number(values[leaf.index]))}`;
  if (operator === 'ShorterThan')
    return sql`length(${reference}) < ${slot(({ values }) => Number(values[leaf.index]))}`;
  const kind = patterns[operator];
  if (!kind) throw cloudError('INTERNAL_BUG', `The operator ${operator} has no SQL.`);
  const text = (fold: boolean, wildcards: Wildcards) =>
    slot(({ values }) => {
      const value = String(values[leaf.index]);
      return kind.pattern(fold ? simpleLowerCase(value) : value, wildcards);
    });
  if (leaf.variant === 'long') {
    const compared = kind.ignoresCase ? sql`simple_lower(${reference})` : reference;
    return negatable(sql`matches_like(${compared}, ${text(kind.ignoresCase, like)})`, reference, kind.isNegated);
  }
  const matches = kind.ignoresCase
    ? leaf.variant === 'unicode'
      ? sql`simple_lower(${reference}) glob ${text(true, glob)}`
      : sql`${asciiLetters(reference, leaf.variant)} like ${text(false, like)} escape '\\'`
    : sql`${reference} glob ${text(false, glob)}`;
  return negatable(matches, reference, kind.isNegated);
}

function negatable(matches: Sql, reference: Sql, isNegated: boolean | undefined): Sql {
  return isNegated ? sql`(not ${matches} or ${reference} is null)` : matches;
}

/** A comparison without case takes the Kelvin sign for a `K`, and the dotted capital I for an `I`. */
function asciiLetters(reference: Sql, variant: string): Sql {
  return variant === 'ascii' ? sql`replace(replace(${reference}, char(8490), 'k'), char(304), 'i')` : reference;
}

function contains(text: string, { any, literal }: Wildcards): string {
  return `${any}${literal(text)}${any}`;
}

function startsWith(text: string, { any, literal }: Wildcards): string {
  return `${literal(text)}${any}`;
}

function endsWith(text: string, { any, literal }: Wildcards): string {
  return `${any}${literal(text)}`;
}

/** In a Like pattern `%` is anything, `_` one character, and a backslash takes away the meaning of what follows. */
function fromLike(pattern: string, { any, one, literal }: Wildcards): string {
  return pattern.replaceAll(/\\([\s\S])|[\s\S]/g, (sign, escaped: string | undefined) => {
    if (escaped !== undefined) return literal(escaped);
    return sign === '%' ? any : sign === '_' ? one : literal(sign);
  });
}
