/** Whether two texts have the same lines, whatever ends them: git on Windows writes `\r\n` in place of `\n`. */
export function hasSameLines(one: string, other: string): boolean {
  return one === other || withUnixEnds(one) === withUnixEnds(other);
}

/** A text with the line ends of another one, `\n` or `\r\n`. */
export function withLineEndsOf(other: string, text: string): string {
  const unix = withUnixEnds(text);
  return other.includes('\r\n') ? unix.replaceAll('\n', '\r\n') : unix;
}

function withUnixEnds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
