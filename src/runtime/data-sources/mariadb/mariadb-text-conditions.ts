import { sql } from 'kysely';
import { cloudError } from '#kernel/errors/cloud-error';
import type { Operator } from '../../query/operators.ts';
import type { LeafInput, Sql } from '../sql/sql-dialect.ts';
import { slot } from '../sql/statement-parameters.ts';
import { binaryText, inCollationOf, lowerText } from './mariadb-column-expressions.ts';

interface PatternKind {
  readonly pattern: (text: string) => string;
  readonly ignoresCase: boolean;
  readonly isNegated?: true;
  /** The pattern begins with the text: an index of the column's own collation narrows the search. */
  readonly isPrefix?: true;
}

const kinds: Partial<Record<Operator, PatternKind>> = {
  Contains: { pattern: contains, ignoresCase: false },
  NotContains: { pattern: contains, ignoresCase: false, isNegated: true },
  StartsWith: { pattern: startsWith, ignoresCase: false, isPrefix: true },
  EndsWith: { pattern: endsWith, ignoresCase: false },
  Like: { pattern: fromLike, ignoresCase: false },
  IContains: { pattern: contains, ignoresCase: true },
  NotIContains: { pattern: contains, ignoresCase: true, isNegated: true },
  IStartsWith: { pattern: startsWith, ignoresCase: true },
  IEndsWith: { pattern: endsWith, ignoresCase: true },
  ILike: { pattern: fromLike, ignoresCase: true },
};

export function textCondition(leaf: LeafInput): Sql {
  const { reference, operator, column, index } = leaf;
  if (operator === 'LongerThan' || operator === 'ShorterThan') {
    const length = slot(({ values }) => Number(values[index]));
    return operator === 'LongerThan'
      ? sql`char_length(${reference}) > ${length}`
      : sql`char_length(${reference}) < ${length}`;
  }
  const kind = kinds[operator];
  if (!kind) throw cloudError('INTERNAL_BUG', `The operator ${operator} has no SQL.`);
  const pattern = slot(({ values }) => kind.pattern(String(values[index]).toWellFormed()));
  const matches = kind.ignoresCase
    ? sql`${lowerText(reference)} like ${lowerText(pattern)} escape '|'`
    : sql`${binaryText(reference)} like ${pattern} escape '|'`;
  if (kind.isNegated) return sql`(not (${matches}) or ${reference} is null)`;
  const narrowing = kind.isPrefix ? inCollationOf(column, pattern) : undefined;
  return narrowing ? sql`(${reference} like ${narrowing} escape '|' and ${matches})` : matches;
}

/** The escape is not a backslash, because its literal depends on the mode of the session. */
function literal(text: string): string {
  return text.replaceAll(/[%_|]/g, (sign) => `|${sign}`);
}

function contains(text: string): string {
  return `%${literal(text)}%`;
}

function startsWith(text: string): string {
  return `${literal(text)}%`;
}

function endsWith(text: string): string {
  return `%${literal(text)}`;
}

/** In a Like pattern `%` is anything, `_` one character, and a backslash takes away the meaning of what follows. */
function fromLike(pattern: string): string {
  return pattern.replaceAll(/\\([\s\S])|[\s\S]/gu, (sign, escaped: string | undefined) => {
    if (escaped !== undefined) return literal(escaped);
    return sign === '%' || sign === '_' ? sign : literal(sign);
  });
}
