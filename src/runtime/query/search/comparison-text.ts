export type ComparisonSign = '=' | '!=' | '<' | '<=' | '>' | '>=';

/** A value with the sign before it; `=` when there is none. */
export interface ComparisonText {
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
