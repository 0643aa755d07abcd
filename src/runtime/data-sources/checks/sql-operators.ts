import { isCloudError } from '#kernel/errors/cloud-error';
import { textPattern } from '../../query/text-pattern.ts';

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

export type PatternKind = 'like' | 'ilike' | 'glob' | 'regex' | 'iregex';

const specialCharacters = /[\\^$.*+?()[\]{}|]/g;
/** Matches nothing: what JavaScript does not understand refuses every text, and the database decides. */
const matchesNothing = /(?!)/;

/** A pattern of SQL as a regular expression. `like` ignores case in some databases and not in others: it does not here. */
export function patternOf(kind: PatternKind, pattern: string): RegExp {
  const flags = kind.startsWith('i') ? 'isu' : 'su';
  try {
    if (kind === 'regex' || kind === 'iregex') return new RegExp(pattern, flags);
    if (kind === 'glob')
      return new RegExp(
        `^${pattern
          .replace(/[\\^$.+(){}|]/g, '\\$&')
          .replaceAll('*', '.*')
          .replaceAll('?', '.')}$`,
        flags,
      );
    return new RegExp(
      `^${pattern.replace(specialCharacters, '\\$&').replaceAll('%', '.*').replaceAll('_', '.')}$`,
      flags,
    );
  } catch {
    return matchesNothing;
  }
}

/** Whether a text fits to a pattern; `null` where that takes too long to find out, and the database decides. */
export function isMatching(kind: PatternKind, pattern: string, text: string): boolean | null {
  try {
    return textPattern(patternOf(kind, pattern))(text);
  } catch (error) {
    if (isCloudError(error) && error.code === 'REQUEST_TOO_COSTLY') return null;
    throw error;
  }
}

type Comparison = '=' | '==' | '<>' | '!=' | '<' | '<=' | '>' | '>=';

/** Compare as SQL does: null where one of them is null, or where the kinds cannot be compared. */
export function compared(sign: Comparison, a: unknown, b: unknown): boolean | null {
  const order = orderOf(a, b);
  if (order === null) return null;
  switch (sign) {
    case '=':
    case '==':
      return order === 0;
    case '<>':
    case '!=':
      return order !== 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
  }
}

export function isTrue(value: unknown): boolean | null {
  if (value === null || value === undefined) return null;
  return value === true || (typeof value === 'number' && value !== 0);
}

export function negated(value: boolean | null): boolean | null {
  return value === null ? null : !value;
}

const numberText = /^-?\d+(?:\.\d+)?$/;
const dateText = /^\d{4}-\d{2}-\d{2}/;

/** Exact numbers and dates are texts. */
function orderOf(a: unknown, b: unknown): number | null {
  if (a === null || b === null || a === undefined || b === undefined) return null;
  const [one, other] = [comparable(a), comparable(b)];
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  const [text, beside] = [String(one), String(other)];
  if (numberText.test(text) && numberText.test(beside)) return Number(text) - Number(beside);
  if (dateText.test(text) && dateText.test(beside)) return Date.parse(text) - Date.parse(beside);
  if (typeof one === 'number' || typeof other === 'number') return null;
  return text === beside ? 0 : text < beside ? -1 : 1;
}

function comparable(value: unknown): unknown {
  return typeof value === 'boolean' ? Number(value) : value;
}
