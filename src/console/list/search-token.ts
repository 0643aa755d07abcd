/** The part of a search that somebody is typing. */
export interface SearchToken {
  /** Where the completed part begins and ends in the text. */
  readonly start: number;
  readonly end: number;
  /** The name before a colon: `status`, `customer.city`; absent where none is written yet. */
  readonly field?: string;
  /** What is written so far, without quotes and comparison. */
  readonly text: string;
}

const boundary = /[\s()]/;
const quotes = new Set(['"', "'"]);

/** A quote opens where a term begins. */
function isOpening(text: string, at: number): boolean {
  return quotes.has(text[at] ?? '') && /(?:^|[\s(:-])$/.test(text.slice(0, at));
}

/** Where the quote that is open at the end of a text begins; `undefined` where all are closed. */
export function openQuote(text: string): number | undefined {
  for (let at = 0; at < text.length; at += 1) {
    if (!isOpening(text, at)) continue;
    const end = text.indexOf(text[at] ?? '', at + 1);
    if (end < 0) return at;
    at = end;
  }
  return undefined;
}

/** The token at the caret. */
export function tokenAt(text: string, caret: number): SearchToken {
  const before = text.slice(0, caret);
  const quote = openQuote(before);
  let start = quote ?? caret;
  while (start > 0 && !boundary.test(before[start - 1] ?? '')) start -= 1;
  if (before[start] === '-') start += 1;
  const word = before.slice(start);
  const [name, rest] = /^([^\s:()'"]+):([\s\S]*)$/.exec(word)?.slice(1) ?? [];
  if (name === undefined || rest === undefined) return { start, end: caret, text: word };
  const written = /^(?:[<>]=?|!?=)?["']?/.exec(rest)?.[0].length ?? 0;
  const sign = /^(?:[<>]=?|!?=)?/.exec(rest)?.[0].length ?? 0;
  return { start: start + name.length + 1 + sign, end: caret, field: name, text: rest.slice(written) };
}

/** Whether more is to follow a completion: a name is followed by a value. */
export function isUnfinished(insert: string): boolean {
  return insert.endsWith(':') || insert.endsWith('.');
}

/** The text with a completion in the place of the token, and where the caret stands then. */
export function completed(text: string, { start, end }: SearchToken, insert: string): readonly [string, number] {
  const added = isUnfinished(insert) || text[end] === ' ' ? insert : `${insert} `;
  return [text.slice(0, start) + added + text.slice(end), start + added.length];
}
