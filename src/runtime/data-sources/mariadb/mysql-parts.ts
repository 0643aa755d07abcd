/**
 * What a `$` means nothing in, for MariaDB and MySQL: texts in either quote, with backslash escapes; names in backticks;
 * comments, where two dashes begin one only before a blank; and words, which may hold a `$`. Then `$name`. Every connection
 * of ours sets its own SQL mode, which neither turns backslash escapes off nor makes double quotes those of names.
 */
export const mysqlParts =
  /'(?:[^'\\]|\\[\s\S]|'')*'|"(?:[^"\\]|\\[\s\S]|"")*"|`[^`]*`|--(?=\s|$)[^\n]*|#[^\n]*|\/\*[\s\S]*?\*\/|\$(?<name>[A-Za-z_]\w*)|[\p{L}_][\p{L}\p{N}_$]*/gu;
