/** A command as it was called, with more words behind it: a line to paste into a shell. */
export function nextCommand(called: readonly string[], ...more: readonly string[]): string {
  return ['vendor-cloud', ...called, ...more].map(quoted).join(' ');
}

/** A word as a shell takes it. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
