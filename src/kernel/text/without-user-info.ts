/** A text with `[redacted]` in place of the user name and the password of each address in it. */
export function withoutUserInfo(text: string): string {
  return text.replace(/([a-z][a-z0-9+.-]*:\/\/)[^/?#\s"@]+@/gi, '$1[redacted]@');
}
