import type { NativeSyntax } from '../sql/native-query.ts';

/** Texts, names in one of three kinds of quotes, comments, and words, which may hold a dollar sign. */
export const sqliteSyntax: NativeSyntax = {
  parts:
    /'[^']*(?:''[^']*)*(?:'|$)|"[^"]*(?:""[^"]*)*(?:"|$)|`[^`]*(?:``[^`]*)*(?:`|$)|\[[^\]]*(?:\]|$)|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\$(?<name>[A-Za-z_]\w*)|[\p{L}_][\p{L}\p{N}_$]*/gu,
  placeholders: 'question marks',
};
