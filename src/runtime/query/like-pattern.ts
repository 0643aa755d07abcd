import { simpleLowerCase } from '#kernel/text/simple-lower-case';

/** A Like pattern that matches `text` literally. */
export function escapeLike(text: string): string {
  return text.replaceAll(/[%_\\]/g, (sign) => `\\${sign}`);
}

/** The source of a regular expression, for the `u` flag, that matches `text` literally. */
export function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, (sign) => `\\${sign}`);
}

/**
 * A Like pattern as the source of a regular expression for a whole text. `%` is any run of characters, and `_` is one of them,
 * line breaks included. A backslash takes away the meaning of what follows, and at the end stands for itself.
 */
export function likeSource(pattern: string, literal: (text: string) => string = escapeRegExp): string {
  return pattern.replaceAll(/\\([\s\S])|[\s\S]/gu, (sign, escaped: string | undefined) => {
    if (escaped !== undefined) return literal(escaped);
    return sign === '%' ? '[\\s\\S]*' : sign === '_' ? '[\\s\\S]' : literal(sign);
  });
}

/** A Like pattern as a regular expression. */
export function likeToRegExp(pattern: string, literal?: (text: string) => string): RegExp {
  return new RegExp(`^${likeSource(pattern, literal)}$`, 'u');
}

/**
 * The source of a regular expression that matches `text` in every case. Spelt out character by character, because the
 * `i` flag also equates letters that are not each other's lower case, such as `ſ` and `s`.
 */
export function anyCaseSource(text: string): string {
  return [...text].map((character) => classOf(character)).join('');
}

function classOf(character: string): string {
  const lower = simpleLowerCase(character);
  const upper = upperForms().get(lower) ?? [];
  return upper.length === 0 ? escapeRegExp(lower) : `[${[lower, ...upper].map(escapeRegExp).join('')}]`;
}

let formsByLowerCase: ReadonlyMap<string, readonly string[]> | undefined;

/** The upper-case forms of each lower-case character. Unicode ends its cased letters before plane 2. */
function upperForms(): ReadonlyMap<string, readonly string[]> {
  if (formsByLowerCase) return formsByLowerCase;
  const forms = new Map<string, string[]>();
  for (let codePoint = 0; codePoint < 0x20000; codePoint++) {
    if (codePoint >= 0xd800 && codePoint <= 0xdfff) continue;
    const character = String.fromCodePoint(codePoint);
    const lower = simpleLowerCase(character);
    if (lower !== character) forms.set(lower, [...(forms.get(lower) ?? []), character]);
  }
  formsByLowerCase = forms;
  return forms;
}
