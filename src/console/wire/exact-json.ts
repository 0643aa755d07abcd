import { own } from './own.ts';

/** A number that JavaScript cannot hold without loss, as its digits. `JSON.rawJSON` makes it, and `JSON.stringify` writes it back. */
export interface ExactNumber {
  readonly rawJSON: string;
}

interface ExactJson {
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(digits: string): ExactNumber;
  isRawJSON(value: unknown): value is ExactNumber;
}

/** `JSON` with what the standard added in 2025, which the declarations of the compiler do not have yet. */
const json = JSON as unknown as ExactJson;

/**
 * A number that JavaScript may write in another way. It has 16 digits or more, an exponent, or `-0`, or its fraction ends in a zero or
 * begins with several. A text that looks like one is found too, which costs time and nothing else.
 */
const mayBeLossy =
  /[[:,\s](?!-?(?:0|[1-9]\d{0,8})(?:\.\d{0,4}[1-9])?[\s,\]}])(?!-?[1-9]\d{0,14}[\s,\]}])-?\d|-0[\s,\]}]|^-?\d/;

/**
 * Read JSON without the loss of a digit. `9007199254740993` and `1e400` stay what they are.
 *
 * @throws SyntaxError where the text is not JSON
 */
export function parseExactly(text: string): unknown {
  // To look at every value takes ten times as long, and most answers need it for none.
  if (!mayBeLossy.test(text)) return JSON.parse(text);
  return json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && isLossy(value, source) ? json.rawJSON(source) : value,
  );
}

export function isExactNumber(value: unknown): value is ExactNumber {
  return json.isRawJSON(value);
}

/** Whether a number says something else than the digits that it was read from. `1.50` and `-0` count too. */
function isLossy(value: number, source: string): boolean {
  return String(value) !== source;
}

/**
 * What was read now, with those parts of what was read before that are equal, so that screens draw only what has changed. The one of
 * TanStack Query copies by assignment, which makes plain objects of exact numbers and loses a member called `__proto__`.
 */
export function shareEqual(before: unknown, now: unknown): unknown {
  if (Array.isArray(before) && Array.isArray(now)) {
    const shared = now.map((item, at) => shareEqual(before[at], item));
    return shared.length === before.length && shared.every((item, at) => item === before[at]) ? before : shared;
  }
  if (isExactNumber(before) && isExactNumber(now)) return before.rawJSON === now.rawJSON ? before : now;
  if (!isPlain(before) || !isPlain(now)) return now;
  const shared = Object.entries(now).map(([name, value]) => [name, shareEqual(own(before, name), value)] as const);
  const isSame =
    shared.length === Object.keys(before).length &&
    shared.every(([name, value]) => Object.hasOwn(before, name) && before[name] === value);
  return isSame ? before : Object.fromEntries(shared);
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
