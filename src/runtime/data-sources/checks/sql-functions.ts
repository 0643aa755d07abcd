type SqlFunction = (values: readonly unknown[]) => unknown;

/** A function by its name in capitals, as far as checks use it. */
export function functionNamed(name: string): SqlFunction | undefined {
  return Object.hasOwn(functions, name) ? functions[name] : undefined;
}

const lengthOf = ofText((text) => [...text].length);
const bytesOf = ofText((text) => Buffer.byteLength(text));
const trimmed = ofText((text) => text.trim());
const lower = ofText((text) => text.toLowerCase());
const upper = ofText((text) => text.toUpperCase());
const itemsOf: SqlFunction = ([list]) => (Array.isArray(list) ? list.length : null);
const first: SqlFunction = (values) => values.find((value) => value !== null) ?? null;
const isJson: SqlFunction = ([value]) => value !== null;

const functions: Readonly<Record<string, SqlFunction>> = {
  LENGTH: lengthOf,
  CHAR_LENGTH: lengthOf,
  CHARACTER_LENGTH: lengthOf,
  OCTET_LENGTH: bytesOf,
  LOWER: lower,
  LCASE: lower,
  UPPER: upper,
  UCASE: upper,
  TRIM: trimmed,
  BTRIM: trimmed,
  LTRIM: ofText((text) => text.trimStart()),
  RTRIM: ofText((text) => text.trimEnd()),
  COALESCE: first,
  IFNULL: first,
  ABS: ofNumber(Math.abs),
  ROUND: ofNumber(Math.round),
  FLOOR: ofNumber(Math.floor),
  CEIL: ofNumber(Math.ceil),
  CEILING: ofNumber(Math.ceil),
  CARDINALITY: itemsOf,
  ARRAY_LENGTH: itemsOf,
  JSON_VALID: isJson,
};

/** What no text is, JSON and lists, have no length here: null, which no check refuses. */
function ofText(work: (text: string) => unknown): SqlFunction {
  return ([value]) => (typeof value === 'string' ? work(value) : null);
}

function ofNumber(work: (number: number) => number): SqlFunction {
  return ([value]) => (value === null || Number.isNaN(Number(value)) ? null : work(Number(value)));
}
