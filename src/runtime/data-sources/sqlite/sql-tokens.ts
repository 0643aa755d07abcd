/** A token of SQL text: a string literal, a name (quoted or not), or one sign. */
export interface SqlToken {
  readonly kind: 'string' | 'name' | 'number' | 'sign';
  /** Without quotes. */
  readonly text: string;
}

const pattern =
  /\s+|--[^\n]*|\/\*[\s\S]*?\*\/|'((?:[^']|'')*)'|"((?:[^"]|"")*)"|`((?:[^`]|``)*)`|\[([^\]]*)\]|([\p{L}_][\p{L}\p{N}_$]*)|(\d+(?:\.\d+)?)|(.)/gsu;

/** Cut SQL text into tokens, comments and white space left out. */
export function sqlTokens(sql: string): SqlToken[] {
  const tokens: SqlToken[] = [];
  for (const [, string, double, backtick, bracket, word, number, sign] of sql.matchAll(pattern)) {
    const quoted = double?.replaceAll('""', '"') ?? backtick?.replaceAll('``', '`') ?? bracket;
    if (string !== undefined) tokens.push({ kind: 'string', text: string.replaceAll("''", "'") });
    else if (quoted !== undefined) tokens.push({ kind: 'name', text: quoted });
    else if (word !== undefined) tokens.push({ kind: 'name', text: word });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number });
    else if (sign !== undefined) tokens.push({ kind: 'sign', text: sign });
  }
  return tokens;
}

/** The tokens between the bracket at `open` and the one that closes it. */
export function insideBrackets(tokens: readonly SqlToken[], open: number): SqlToken[] {
  let depth = 0;
  for (let index = open; index < tokens.length; index++) {
    if (isSign(tokens[index], '(')) depth += 1;
    if (isSign(tokens[index], ')')) depth -= 1;
    if (depth === 0) return tokens.slice(open + 1, index);
  }
  return tokens.slice(open + 1);
}

export function isSign(token: SqlToken | undefined, text: string): boolean {
  return token?.kind === 'sign' && token.text === text;
}

export function isWord(token: SqlToken | undefined, word: string): boolean {
  return token?.kind === 'name' && token.text.toUpperCase() === word;
}
