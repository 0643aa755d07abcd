import { mayLoseDigits, parseExactly } from '#kernel/json/read-json';
import { compareDecimals, parseDecimal } from './exact-decimal.ts';

/** By document, the numbers in it that JavaScript has rounded, as the database writes them. */
const roundedIn = new WeakMap<object, readonly string[]>();

/** Sixteen digits in a row, or a large exponent. Most texts have neither, and are looked at no further. */
const mayBeRounded = /[\d.]{16}|\de\+?\d{2}/i;
const tokens = /"(?:[^"\\]|\\.)*"|-?\d[\d.e+-]*|null/gi;

/** By document with digits of its own, the text that it was read from. */
const textOf = new WeakMap<object, string>();

/** The document `null`, told apart from no document, which records show as null too. It is read and written where data are copied. */
export const nullDocument: Readonly<{ toJSON(): null }> = Object.freeze({ toJSON: () => null });

/** A document as a database stores it, its digits kept. What JavaScript rounds in it is remembered. Throws `SyntaxError`. */
export function parseStoredDocument(text: string): unknown {
  if (!mayLoseDigits(text)) return JSON.parse(text);
  const document = parseExactly(text);
  if (typeof document !== 'object' || document === null) return document;
  textOf.set(document, text);
  if (!mayBeRounded.test(text)) return document;
  const rounded = tokensOf(text).filter(isRounded);
  if (rounded.length > 0) roundedIn.set(document, rounded);
  return document;
}

/** The text of a document that is written. One that was read and not changed since keeps its own, whatever its spaces. */
export function documentText(document: unknown): string {
  const written = JSON.stringify(document);
  const text = typeof document === 'object' && document !== null ? textOf.get(document) : undefined;
  return text !== undefined && JSON.stringify(parseExactly(text)) === written ? text : written;
}

/** A number of the stored document that another one would overwrite with what JavaScript has made of it, on the side of the client. */
export function overwrittenNumber(stored: unknown, next: unknown): string | undefined {
  const rounded = typeof stored === 'object' && stored !== null ? roundedIn.get(stored) : undefined;
  if (!rounded || next === null || next === undefined) return undefined;
  const written = new Set(tokensOf(JSON.stringify(next)));
  return rounded.find((digits) => !written.has(digits) && written.has(JSON.stringify(Number(digits))));
}

/** Numbers, and `null`, which is what JSON makes of a number that is too large. */
function tokensOf(text: string): string[] {
  return (text.match(tokens) ?? []).filter((token) => !token.startsWith('"'));
}

/** Seventeen digits name a floating point number exactly. Some programs write all of them, such as `0.10000000000000001`. */
function isRounded(digits: string): boolean {
  const exact = parseDecimal(digits);
  if (!exact) return false;
  const value = Number(digits);
  const isSame = (text: string) => {
    const read = parseDecimal(text);
    return read !== undefined && compareDecimals(read, exact) === 0;
  };
  return !isSame(String(value)) && !isSame(value.toPrecision(17));
}
