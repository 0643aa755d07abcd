import { insideBrackets, isSign, isWord, type SqlToken, sqlTokens } from '../checks/sql-tokens.ts';

/**
 * The columns of a table that a check limits to a list of texts, by lower-case name:
 * `CHECK (status IN ('open', 'paid'))`, also with `OR status IS NULL`.
 */
export function checkEnums(createTable: string): ReadonlyMap<string, readonly string[]> {
  const tokens = sqlTokens(createTable);
  const enums = new Map<string, readonly string[]>();
  tokens.forEach((token, index) => {
    if (!isWord(token, 'CHECK') || !isSign(tokens[index + 1], '(')) return;
    const found = limitOf(unwrap(insideBrackets(tokens, index + 1)));
    if (found) enums.set(found.column.toLowerCase(), found.values);
  });
  return enums;
}

/** Outer brackets say nothing. */
function unwrap(tokens: readonly SqlToken[]): readonly SqlToken[] {
  const inner = isSign(tokens[0], '(') ? insideBrackets(tokens, 0) : undefined;
  return inner && inner.length === tokens.length - 2 ? unwrap(inner) : tokens;
}

/** `a IS NULL OR a IN (…)` and `a IN (…) OR a IS NULL` come to `a IN (…)`; whether another column is null is another matter. */
function limitOf(tokens: readonly SqlToken[]): { column: string; values: string[] } | undefined {
  const [first] = tokens;
  const end = tokens.length;
  if (isWord(tokens[1], 'IS') && isWord(tokens[2], 'NULL') && isWord(tokens[3], 'OR')) {
    return limitOn(first, membershipTest(unwrap(tokens.slice(4))));
  }
  if (isWord(tokens[end - 4], 'OR') && isWord(tokens[end - 2], 'IS') && isWord(tokens[end - 1], 'NULL')) {
    return limitOn(tokens[end - 3], membershipTest(unwrap(tokens.slice(0, end - 4))));
  }
  return membershipTest(tokens);
}

function limitOn<Limit extends { column: string }>(
  column: SqlToken | undefined,
  limit: Limit | undefined,
): Limit | undefined {
  return column?.text.toLowerCase() === limit?.column.toLowerCase() ? limit : undefined;
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
