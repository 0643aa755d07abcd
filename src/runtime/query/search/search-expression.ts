/** A search: terms joined by "all of them" and "at least one of them". */
export type SearchExpression = SearchBranch | SearchTerm;

export interface SearchBranch {
  readonly kind: 'all' | 'any';
  readonly parts: readonly SearchExpression[];
}

/** One word or phrase. */
export interface SearchTerm {
  readonly kind: 'term';
  /** Records without it are meant. */
  readonly isNegated: boolean;
  /** The field it is restricted to, as it was typed; `.` goes through relations. */
  readonly property?: string;
  readonly text: string;
}

/** Every term of an expression, in reading order. */
export function termsOf(expression: SearchExpression): readonly SearchTerm[] {
  return expression.kind === 'term' ? [expression] : expression.parts.flatMap(termsOf);
}

/** The meaning of a term when there is no field of its name: the text `name:text`. */
export function literalText({ property, text }: SearchTerm): string {
  return property === undefined ? text : `${property}:${text}`;
}
