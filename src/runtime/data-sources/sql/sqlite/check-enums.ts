import { insideBrackets, isSign, isWord, type SqlToken, sqlTokens } from './sql-tokens.ts';

/**
 * The columns of a table that a check limits to a list of texts, by lower-case name:
 * `CHECK (status IN ('open', 'paid'))`, also with `OR status IS NULL`.
 */
export function checkEnums(createTable: string): ReadonlyMap<string, readonly string[]> {
  const tokens = sqlTokens(createTable);
  const enums = new Map<string, readonly string[]>();
  tokens.forEach((token, index) => {
    if (!isWord(token, 'CHECK') || !isSign(tokens[index + 1], '(')) return;
    const found = membershipTest(withoutNullTest(unwrap(insideBrackets(tokens, index + 1))));
    if (found) enums.set(found.column.toLowerCase(), found.values);
  });
  return enums;
}

/** Outer brackets say nothing. */
function unwrap(tokens: readonly SqlToken[]): readonly SqlToken[] {
  const inner = isSign(tokens[0], '(') ? insideBrackets(tokens, 0) : undefined;
  return inner && inner.length === tokens.length - 2 ? unwrap(inner) : tokens;
}

/** `a IS NULL OR test` and `test OR a IS NULL` come to `test`. */
function withoutNullTest(tokens: readonly SqlToken[]): readonly SqlToken[] {
  if (isWord(tokens[1], 'IS') && isWord(tokens[2], 'NULL') && isWord(tokens[3], 'OR')) return unwrap(tokens.slice(4));
  const end = tokens.length;
  if (isWord(tokens[end - 4], 'OR') && isWord(tokens[end - 2], 'IS') && isWord(tokens[end - 1], 'NULL')) {
    return unwrap(tokens.slice(0, end - 4));
  }
  return tokens;
}

function membershipTest(tokens: readonly SqlToken[]): { column: string; values: string[] } | undefined {
  const [column, word, open] = tokens;
  if (column?.kind !== 'name' || !isWord(word, 'IN') || !isSign(open, '(')) return undefined;
  const list = insideBrackets(tokens, 2);
  if (tokens.length !== list.length + 4 || list.length % 2 === 0) return undefined;
  const isList = list.every((token, index) => (index % 2 === 0 ? token.kind === 'string' : isSign(token, ',')));
  return isList
    ? { column: column.text, values: list.filter((t) => t.kind === 'string').map((t) => t.text) }
    : undefined;
}
