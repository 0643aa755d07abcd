/**
 * A value as JSON in ASCII: other characters are escaped, and read the same. V8 keeps a text with one character beyond Latin-1 in twice the
 * memory, and all lines that are cut from it. So one such character of ours would make every row of an answer slower to verify.
 */
export function asciiJson(value: object): string {
  return JSON.stringify(value).replaceAll(/[\u0080-\uffff]/g, escaped);
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
