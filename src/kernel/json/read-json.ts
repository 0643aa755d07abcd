/** `JSON` with what the standard added in 2025, which the declarations of the compiler do not have yet. */
const json = JSON as unknown as {
  parse(
    text: string,
    reviver: (this: object, key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(digits: string): object;
};

/**
 * A number that JavaScript may write in another way. It has 16 digits or more, an exponent, or `-0`, or its fraction ends in a zero or
 * begins with several. A text that looks like one is found too, which costs time and nothing else.
 */
const mayBeLossy =
  /[[:,\s](?!-?(?:0|[1-9]\d{0,8})(?:\.\d{0,4}[1-9])?[\s,\]}])(?!-?[1-9]\d{0,14}[\s,\]}])-?\d|-0[\s,\]}]|^\s*-?\d/;

/** Whether `JSON.stringify` may write other digits than a text of JSON has. Almost no text is wrongly suspected. */
export function mayLoseDigits(text: string): boolean {
  return mayBeLossy.test(text);
}

/** The digits of numbers by the member, or the place in the list, that holds them. */
type Digits = Map<string, string>;

/**
 * Read JSON whose numbers are those of JavaScript, which `JSON.stringify` writes with every digit that they were read from:
 * `9007199254740993`, `10.00` and `1e400`. A number that somebody has changed is written as it is now. A copy of an object has its
 * numbers, and not their digits.
 *
 * @throws SyntaxError where the text is not JSON
 */
export function parseExactly(text: string): unknown {
  // To look at every value takes ten times as long, and most texts need it for none.
  if (!mayLoseDigits(text)) return JSON.parse(text);
  const digitsIn = new Map<object, Digits>();
  const read = json.parse(text, function (key, value, { source }) {
    if (typeof value !== 'number' || source === undefined || String(value) === source) return value;
    const digits = digitsIn.get(this) ?? new Map<string, string>();
    digitsIn.set(this, digits.set(key, source));
    return value;
  });
  if (typeof read === 'number') return alone(read, text.trim());
  for (const [holder, digits] of digitsIn) keepDigits(holder, digits);
  return read;
}

/** A document that is one number. As an object it calculates like the number. */
function alone(value: number, digits: string): unknown {
  if (String(value) === digits) return value;
  return hidden(new Number(value), () => json.rawJSON(digits));
}

function keepDigits(holder: object, digits: Digits): void {
  // A member of that name is the document's own.
  if (Object.hasOwn(holder, 'toJSON')) return;
  if (Array.isArray(holder)) {
    const { length } = holder;
    // Where items were added or removed, the others have moved.
    hidden(holder, () => (holder.length === length ? withDigits([...holder], digits) : [...holder]));
  } else hidden(holder, () => withDigits({ ...holder }, digits));
}

function hidden<Holder extends object>(holder: Holder, toJson: () => unknown): Holder {
  return Object.defineProperty(holder, 'toJSON', { value: toJson, configurable: true, writable: true });
}

function withDigits(copy: object, digits: Digits): object {
  for (const [key, source] of digits) {
    const member = Object.getOwnPropertyDescriptor(copy, key);
    if (!Object.is(member?.value, Number(source))) continue;
    Object.defineProperty(copy, key, { ...member, value: json.rawJSON(source) });
  }
  return copy;
}

/** Levels. */
const maxDepth = 1_000;

/**
 * Whether JSON is nested so deeply that code which walks through it would run out of stack. It does not check the form of
 * the text.
 */
export function isTooDeep(json: string): boolean {
  let depth = 0;
  for (let index = 0; index < json.length; index++) {
    switch (json.charCodeAt(index)) {
      case 0x22: // "
        index = endOfText(json, index);
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth++;
        if (depth > maxDepth) return true;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        break;
    }
  }
  return false;
}

/** The position of the closing quotation mark; the end of the JSON when there is none. */
function endOfText(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let first = end;
    while (json.charCodeAt(first - 1) === 0x5c) first--; // \
    if ((end - first) % 2 === 0) return end;
  }
  return json.length;
}
