import { sql } from 'kysely';
import { cloudError } from '#kernel/errors/cloud-error';
import { escapeLike } from '../../query/like-pattern.ts';
import type { Operator } from '../../query/operators.ts';
import type { LeafInput, Sql } from '../sql/sql-dialect.ts';
import { slot } from '../sql/statement-parameters.ts';
import { writeArray } from './postgres-arrays.ts';

interface TextOperator {
  readonly patternOf: (text: string) => string;
  readonly ignoresCase: boolean;
  readonly isNegated: boolean;
  /** The pattern begins with anything, so that of all indexes only those of trigrams serve it. */
  readonly isOpen: boolean;
}

const contains = (text: string) => `%${escapeLike(text)}%`;
const startsWith = (text: string) => `${escapeLike(text)}%`;
const endsWith = (text: string) => `%${escapeLike(text)}`;

function operator(patternOf: (text: string) => string, ignoresCase = false, isNegated = false): TextOperator {
  return { patternOf, ignoresCase, isNegated, isOpen: patternOf === contains || patternOf === endsWith };
}

const operators: Partial<Record<Operator, TextOperator>> = {
  Contains: operator(contains),
  NotContains: operator(contains, false, true),
  StartsWith: operator(startsWith),
  EndsWith: operator(endsWith),
  Like: operator(fromLike),
  IContains: operator(contains, true),
  NotIContains: operator(contains, true, true),
  IStartsWith: operator(startsWith, true),
  IEndsWith: operator(endsWith, true),
  ILike: operator(fromLike, true),
};

export function isTextOperator(name: Operator): boolean {
  return operators[name] !== undefined || name === 'LongerThan' || name === 'ShorterThan';
}

/** Written by the dialect, which knows no database yet; the engine puts a collation of its database in its place. */
export const caseFolding = ' collate "vendor-cloud:case-folding"';

/**
 * LIKE, which an index with `text_pattern_ops` or trigrams serves. Without case both sides are in lower case, so that an index
 * on `lower(column)` serves them. Or they are in ILIKE, which means the same and which an index of trigrams on the column
 * serves.
 */
export function textCondition(leaf: LeafInput, text: Sql): Sql {
  const given = (patternOf: (text: string) => string) => slot(({ values }) => patternOf(String(values[leaf.index])));
  const length = slot(({ values }) => Number(values[leaf.index]));
  if (leaf.operator === 'LongerThan') return sql`char_length(${text}) > ${length}::double precision`;
  if (leaf.operator === 'ShorterThan') return sql`char_length(${text}) < ${length}::double precision`;
  const kind = operators[leaf.operator];
  if (!kind) throw cloudError('INTERNAL_BUG', `The operator ${leaf.operator} has no SQL.`);
  const pattern = sql`${given(kind.patternOf)}::text`;
  const folding = sql.raw(caseFolding);
  const withoutCase = kind.isOpen
    ? sql`${text}${folding} ilike ${pattern}${folding}`
    : sql`lower(${text}${folding}) like lower(${pattern}${folding})`;
  const matches = kind.ignoresCase ? withoutCase : sql`${text} like ${pattern}`;
  return kind.isNegated ? sql`(not ${matches} or ${leaf.reference} is null)` : matches;
}

/** A backslash at the end stands for itself; PostgreSQL would refuse it. */
function fromLike(pattern: string): string {
  return pattern.replaceAll(/\\([\s\S])|[\s\S]/gu, (sign, escaped: string | undefined) => {
    if (escaped !== undefined) return escapeLike(escaped);
    return sign === '\\' ? '\\\\' : sign;
  });
}

/** Documents are equal when they mean the same, whatever the order of their keys; the document `null` is not a value. */
export function jsonCondition(leaf: LeafInput): Sql {
  const document = sql`nullif(${leaf.reference}::jsonb, 'null')`;
  const given = sql`${slot(({ values }) => JSON.stringify(values[leaf.index]))}::jsonb`;
  const list = sql`${slot(({ values }) => writeArray(documents(values[leaf.index])))}::jsonb[]`;
  const holdsNull = leaf.variant === 'null';
  switch (leaf.operator) {
    case 'Equal':
      return holdsNull ? sql`${document} is null` : sql`${document} = ${given}`;
    case 'NotEqual':
      return holdsNull ? sql`${document} is not null` : sql`${document} is distinct from ${given}`;
    case 'In':
      return holdsNull ? sql`(${document} = any(${list}) or ${document} is null)` : sql`${document} = any(${list})`;
    case 'NotIn':
      return holdsNull
        ? sql`(${document} <> all(${list}) and ${document} is not null)`
        : sql`(${document} <> all(${list}) or ${document} is null)`;
    default:
      throw cloudError('INTERNAL_BUG', `The operator ${leaf.operator} has no SQL.`);
  }
}

function documents(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => item !== null).map((item) => JSON.stringify(item)) : [];
}
