/** The value of a default's SQL text when it is a literal; `undefined` when it is an expression. */
export function literalDefault(sql: string, isBoolean: boolean): unknown {
  const text = sql.trim();
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(text)) return isBoolean ? Number(text) !== 0 : Number(text);
  if (/^'(?:[^']|'')*'$/s.test(text)) return text.slice(1, -1).replaceAll("''", "'");
  const word = text.toUpperCase();
  if (word === 'TRUE' || word === 'FALSE') return word === 'TRUE';
  return word === 'NULL' ? null : undefined;
}
