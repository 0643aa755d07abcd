/**
 * The text with each character replaced by its lower-case form, one for one, whatever stands beside it: unlike
 * `toLowerCase`, a `Σ` at the end of a word becomes `σ`, and `İ` becomes `i`. Two texts that differ only in case are
 * equal after it, and so are their parts.
 */
export function simpleLowerCase(text: string): string {
  return text.replaceAll('İ', 'i').replaceAll('Σ', 'σ').toLowerCase();
}
