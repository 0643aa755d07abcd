/** `$."key"[0]`, which SQLite, MariaDB and PostgreSQL all read; keys hold no quotation marks and no backslashes. */
export function jsonPathText(path: readonly (string | number)[]): string {
  return `$${path.map((step) => (typeof step === 'number' ? `[${step}]` : `."${step}"`)).join('')}`;
}
