import {
  isAtEnd,
  isBoundary,
  isKeyword,
  readNegativeNumber,
  readPhrase,
  readPropertyName,
  readWord,
  type SearchReader,
  skipSpace,
  takeKeyword,
} from './search-reader.ts';

const maxTerms = 100;
const maxDepth = 32;

/**
 * Read a search: adjacent terms and `AND` join by "all", `OR` is weaker, parentheses group at least two terms, quotes make
 * phrases, `-` negates, `name:text` names a field. Never throws, and takes time in proportion to the length: what is not of
 * the language, or goes beyond its bounds, is one term that stands for the whole text.
 *
 * @example parseSearch('status:open (paris OR "new york") -lyon')
 */
export function parseSearch(search: string): SearchExpression {
  const text = search.trim();
  const reader: SearchReader = { text, at: 0, depth: 0, terms: 0 };
  return readAlternatives(reader, false) ?? literalTerm(text);
}

/** A text that is meant as it is. */
export function literalTerm(text: string): SearchTerm {
  return { kind: 'term', isNegated: false, text };
}

// Each of these gives `undefined` when the text is not of the language.

function readAlternatives(reader: SearchReader, isNegated: boolean): SearchExpression | undefined {
  const parts: SearchExpression[] = [];
  do {
    const part = readConjunction(reader, isNegated);
    if (!part) return undefined;
    parts.push(part);
  } while (takeKeyword(reader, 'OR'));
  return joined(isNegated ? 'all' : 'any', parts);
}

function readConjunction(reader: SearchReader, isNegated: boolean): SearchExpression | undefined {
  const parts: SearchExpression[] = [];
  do {
    if (parts.length > 0) takeKeyword(reader, 'AND');
    const part = readOperand(reader, isNegated);
    if (!part) return undefined;
    parts.push(part);
  } while (!isAtEnd(reader) && !isKeyword(reader, 'OR'));
  return joined(isNegated ? 'any' : 'all', parts);
}

function readOperand(reader: SearchReader, isNegated: boolean): SearchExpression | undefined {
  skipSpace(reader);
  const { text, at } = reader;
  if (text[at] !== '-' || isBoundary(reader, at + 1) || text[at + 1] === '-') return readPlain(reader, isNegated);
  const number = readNegativeNumber(reader);
  if (number !== undefined) return term(reader, number, isNegated);
  reader.at += 1;
  return readPlain(reader, !isNegated);
}

function readPlain(reader: SearchReader, isNegated: boolean): SearchExpression | undefined {
  if (reader.text[reader.at] === '(') return readGroup(reader, isNegated);
  const property = readPropertyName(reader);
  const sign = reader.text[reader.at];
  const content = sign === '"' || sign === "'" ? readPhrase(reader) : readWord(reader);
  return content === undefined ? undefined : term(reader, content, isNegated, property);
}

/** Parentheses round a single term belong to the text: `(France)`. */
function readGroup(reader: SearchReader, isNegated: boolean): SearchExpression | undefined {
  const { text, at: start, terms } = reader;
  if (reader.depth === maxDepth) return undefined;
  reader.depth += 1;
  reader.at += 1;
  const inner = isAtEnd(reader) ? undefined : readAlternatives(reader, isNegated);
  skipSpace(reader);
  if (!inner || text[reader.at] !== ')') return undefined;
  reader.depth -= 1;
  reader.at += 1;
  return reader.terms - terms > 1 ? inner : { ...literalTerm(text.slice(start, reader.at)), isNegated };
}

function term(reader: SearchReader, text: string, isNegated: boolean, property?: string): SearchTerm | undefined {
  reader.terms += 1;
  if (reader.terms > maxTerms) return undefined;
  return { kind: 'term', isNegated, ...(property === undefined ? {} : { property }), text };
}

function joined(kind: 'all' | 'any', parts: readonly SearchExpression[]): SearchExpression {
  const [only] = parts;
  return parts.length === 1 && only ? only : { kind, parts };
}

/** A search: terms joined by "all of them" and "at least one of them". */
export type SearchExpression = SearchBranch | SearchTerm;

interface SearchBranch {
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
