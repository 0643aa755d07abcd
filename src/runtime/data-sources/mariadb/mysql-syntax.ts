import type { NativeSyntax } from '../sql/native-query.ts';

/**
 * Texts in either quote, with backslash escapes; names in backticks; comments, where two dashes begin one only before a blank;
 * and words, which may hold a `$`. Every connection of ours sets its own SQL mode, which neither turns backslash escapes off
 * nor makes double quotes those of names.
 */
export const mysqlSyntax: NativeSyntax = {
  parts:
    /'[^'\\]*(?:(?:\\[\s\S]|'')[^'\\]*)*(?:'|\\?$)|"[^"\\]*(?:(?:\\[\s\S]|"")[^"\\]*)*(?:"|\\?$)|`[^`]*(?:`|$)|--(?=\s|$)[^\n]*|#[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\$(?<name>[A-Za-z_]\w*)|[\p{L}_][\p{L}\p{N}_$]*/gu,
  placeholders: 'question marks',
};
