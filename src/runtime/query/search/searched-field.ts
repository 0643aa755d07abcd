import type { DateTime } from 'luxon';
import type { ColumnSchema } from '../collection-schema.ts';
import type { ConditionTree } from '../condition-tree.ts';
import { rewriteLeaf } from '../operator-equivalence.ts';
import type { Operator } from '../operators.ts';

/** A field that terms are looked for in. */
export interface SearchedField {
  /** A column, or a path `relation:column`. */
  readonly path: string;
  readonly column: ColumnSchema;
  /** The operators that a search may use. */
  readonly operators: ReadonlySet<Operator>;
  /** The present, in the time zone of the caller. */
  readonly now: DateTime;
}

/** A condition on the field in operators that it has; `undefined` when they cannot say it. */
export function conditionOn(
  { path, column, operators, now }: SearchedField,
  operator: Operator,
  value: unknown = null,
): ConditionTree | undefined {
  return rewriteLeaf({ field: path, operator, value }, operators, { type: column.type, isNullable: true, now });
}

/** At least one of the conditions, `undefined` when the field has not the operators for all of them. */
export function eitherOf(conditions: readonly (ConditionTree | undefined)[]): ConditionTree | undefined {
  const present = conditions.filter((condition) => condition !== undefined);
  if (present.length < conditions.length) return undefined;
  const [only] = present;
  return present.length === 1 ? only : { aggregator: 'Or', conditions: present };
}

export type ComparisonSign = '=' | '!=' | '<' | '<=' | '>' | '>=';

/** A value with the sign before it; `=` when there is none. */
interface ComparisonText {
  readonly sign: ComparisonSign;
  readonly value: string;
}

const signs: Readonly<Record<string, ComparisonSign>> = {
  '=': '=',
  '!=': '!=',
  '<>': '!=',
  '≠': '!=',
  '>': '>',
  '>=': '>=',
  '≥': '>=',
  '<': '<',
  '<=': '<=',
  '≤': '<=',
};

const opposites: Readonly<Record<ComparisonSign, ComparisonSign>> = {
  '=': '!=',
  '!=': '=',
  '>': '<=',
  '>=': '<',
  '<': '>=',
  '<=': '>',
};

/** `>= 5` → the sign `>=` and `5`; the sign is the opposite one when the term is negated. */
export function readComparison(text: string, isNegated: boolean): ComparisonText {
  const trimmed = text.trim();
  const [found = ''] = /^(?:>=|<=|<>|!=|[=≠>≥<≤])/.exec(trimmed) ?? [];
  const sign = signs[found] ?? '=';
  return { sign: isNegated ? opposites[sign] : sign, value: trimmed.slice(found.length).trim() };
}
