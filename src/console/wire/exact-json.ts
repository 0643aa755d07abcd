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
 * Read JSON without the loss of a digit. `9007199254740993` and `1e400` stay what they are.
 *
 * @throws SyntaxError where the text is not JSON
 */
export function parseExactly(text: string): unknown {
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
