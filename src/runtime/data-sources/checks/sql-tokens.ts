/** A token of SQL text: a string literal, a name (quoted or not), or one sign. */
export interface SqlToken {
  readonly kind: 'string' | 'name' | 'number' | 'sign';
  /** Without quotes. */
  readonly text: string;
  /** Whether a name is in quotes, so that it is not a word of SQL. */
  readonly isQuoted: boolean;
  /** Where it begins in the text that it is from. */
  readonly start: number;
}

export interface TokenOptions {
  /** Whether `[name]` is a name, as in SQLite; else the brackets are signs. Default true. */
  readonly hasBracketNames?: boolean;
}

const pattern =
  /\s+|--[^\n]*|\/\*[\s\S]*?\*\/|'((?:[^']|'')*)'|"((?:[^"]|"")*)"|`((?:[^`]|``)*)`|\[([^\]]*)\]|([\p{L}_][\p{L}\p{N}_$]*)|(\d+(?:\.\d+)?)|(.)/gsu;
const patternWithoutBrackets = new RegExp(pattern.source.replace('\\[([^\\]]*)\\]', '(?!)()'), pattern.flags);

/** Cut SQL text into tokens, comments and white space left out. */
export function sqlTokens(sql: string, { hasBracketNames = true }: TokenOptions = {}): SqlToken[] {
  const tokens: SqlToken[] = [];
  for (const match of sql.matchAll(hasBracketNames ? pattern : patternWithoutBrackets)) {
    const [, string, double, backtick, bracket, word, number, sign] = match;
    const start = match.index;
    const add = (kind: SqlToken['kind'], text: string, isQuoted = false) =>
      tokens.push({ kind, text, isQuoted, start });
    const quoted = double?.replaceAll('""', '"') ?? backtick?.replaceAll('``', '`') ?? bracket;
    if (string !== undefined) add('string', string.replaceAll("''", "'"));
    else if (quoted !== undefined) add('name', quoted, true);
    else if (word !== undefined) add('name', word);
    else if (number !== undefined) add('number', number);
    else if (sign !== undefined) add('sign', sign);
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
