type Token =
  | { readonly kind: 'any' }
  | { readonly kind: 'one' }
  | { readonly kind: 'literal'; readonly character: string };

/**
 * A Like pattern as a function, without the limits that SQLite's own patterns and regular expressions have. `%` is any run
 * of characters, `_` is one of them, and a backslash takes away the meaning of what follows. Its time is at most the length of the pattern
 * times that of the text. A regular expression with many runs would try all ways to divide the text among them.
 */
export function likeMatcher(pattern: string): (text: string) => boolean {
  const tokens = tokensOf(pattern);
  return (text) => matches(tokens, [...text]);
}

function tokensOf(pattern: string): Token[] {
  return [...pattern.matchAll(/\\([\s\S])|[\s\S]/gu)].map(([sign, escaped]) => {
    if (escaped !== undefined) return { kind: 'literal', character: escaped };
    if (sign === '%') return { kind: 'any' };
    return sign === '_' ? { kind: 'one' } : { kind: 'literal', character: sign };
  });
}

/** Only the last run of any characters can have been taken too short: the earlier ones need no second look. */
function matches(tokens: readonly Token[], characters: readonly string[]): boolean {
  let token = 0;
  let position = 0;
  let retry: { readonly token: number; position: number } | undefined;
  while (position < characters.length) {
    const current = tokens[token];
    if (current?.kind === 'any') {
      token += 1;
      retry = { token, position };
    } else if (current && (current.kind === 'one' || current.character === characters[position])) {
      token += 1;
      position += 1;
    } else if (retry) {
      retry.position += 1;
      token = retry.token;
      position = retry.position;
    } else {
      return false;
    }
  }
  return tokens.slice(token).every(({ kind }) => kind === 'any');
}
