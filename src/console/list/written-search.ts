/** Names as a search writes them: without spaces, which do not count. `undefined` for one that cannot be written. */
export function writtenName(name: string): string | undefined {
  return /[.:()'"]/.test(name) ? undefined : name.replace(/\s+/g, '_');
}

/** A value as a search writes it; `undefined` for one with both quotes. */
export function writtenValue(value: string): string | undefined {
  if (/^[^\s()'":<>=!-][^\s()'"]*$/.test(value) && value !== 'NULL') return value;
  if (!value.includes('"')) return `"${value}"`;
  return value.includes("'") ? undefined : `'${value}'`;
}
