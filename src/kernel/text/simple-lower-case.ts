/**
 * The text with each character replaced by one lower-case character, whatever stands beside it. Unlike `toLowerCase`,
 * it turns a `Σ` at the end of a word into `σ`, and `İ` into `i`. Two texts that differ only in case are equal after
 * it, and so are their parts.
 */
export function simpleLowerCase(text: string): string {
  return text.replaceAll('İ', 'i').replaceAll('Σ', 'σ').toLowerCase();
}
