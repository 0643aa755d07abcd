/** A text that every store takes, of at most `length` code units: without U+0000 and without halves of surrogate pairs. */
export function safeText(text: string, length: number): string {
  const stored = text.includes('\0') ? text.replaceAll('\0', '') : text;
  const whole = stored.isWellFormed() ? stored : stored.toWellFormed();
  if (whole.length <= length) return whole;
  const cut = whole.slice(0, length);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}
