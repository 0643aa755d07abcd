import { DateTime } from 'luxon';
import type { ColumnSchema } from './collection-schema.ts';
import type { ColumnType, PrimitiveType } from './column-type.ts';
import { isListType } from './operators.ts';
import { isRecord } from './shape-record.ts';

type ValueColumn = Pick<ColumnSchema, 'type' | 'isExact' | 'enumValues' | 'hasInfinity' | 'isDuration'>;

const decimalText = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const integerText = /^[+-]?\d+$/;
const uuidText = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const pointText = /^\s*[+-]?\d+(?:\.\d+)?\s*,\s*[+-]?\d+(?:\.\d+)?\s*$/;
const dateText = /^\d{4}-\d{2}-\d{2}$/;
/** The end of a day is a time of its own, `24:00:00`. */
const timeText = /^(?:(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?|24:00(?::00(?:\.0+)?)?)(?:Z|[+-]\d{2}:?\d{2})?$/;
/** What a time of MariaDB and MySQL may be besides. Beyond these, the servers take it for the largest one. */
const durationText = /^-?(?:\d{2}|[1-7]\d{2}|8[0-2]\d|83[0-8]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?$/;
const binaryText = /^(?:data:[^,]*,.*|(?:[0-9a-f]{2})*)$/is;

/** The values that a column takes, in words, when `value` does not fit; `undefined` when it does. `null` always fits. */
export function columnValueProblem(column: ValueColumn, value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (column.type === 'Enum') return enumProblem(column, value);
  return typeProblem(column.type, value, column);
}

function typeProblem(type: ColumnType, value: unknown, column: ValueColumn): string | undefined {
  if (typeof type === 'string') return checks[type](value, column);
  if (isListType(type)) {
    if (!Array.isArray(value)) return 'a list';
    for (const item of value) {
      // A list of PostgreSQL may hold lists of the same items, whatever its column is declared as.
      const itemType = Array.isArray(item) && type[0] !== 'Json' ? type : type[0];
      const problem = item === null ? undefined : typeProblem(itemType, item, column);
      if (problem !== undefined) return itemType === type ? problem : `a list in which every value is ${problem}`;
    }
    return undefined;
  }
  return objectProblem(type, value, column);
}

/** Fields that the type does not name are free, and so are those without a value. */
function objectProblem(
  type: Readonly<Record<string, ColumnType>>,
  value: unknown,
  column: ValueColumn,
): string | undefined {
  if (!isRecord(value) || Array.isArray(value)) return 'an object';
  for (const [name, inner] of Object.entries(type)) {
    const held = Object.hasOwn(value, name) ? (value[name] ?? null) : null;
    const problem = held === null ? undefined : typeProblem(inner, held, column);
    if (problem !== undefined) return `an object whose "${name}" is ${problem}`;
  }
  return undefined;
}

function enumProblem(column: ValueColumn, value: unknown): string | undefined {
  const allowed = column.enumValues ?? [];
  if (typeof value === 'string' && (allowed.length === 0 || allowed.includes(value))) return undefined;
  return `one of ${allowed.map((name) => JSON.stringify(name)).join(', ')}`;
}

type Check = (value: unknown, column: ValueColumn) => string | undefined;

const isInfinite = (value: unknown) => value === 'infinity' || value === '-infinity';

const textCheck: Check = (value) => (typeof value === 'string' ? undefined : 'a text');

function patternCheck(pattern: RegExp, wanted: string): Check {
  return (value) => (typeof value === 'string' && pattern.test(value) ? undefined : wanted);
}

const checks: Readonly<Record<PrimitiveType, Check>> = {
  Binary: (value) =>
    value instanceof Uint8Array || (typeof value === 'string' && binaryText.test(value))
      ? undefined
      : 'a data URI or hexadecimal text',
  Boolean: (value) => (typeof value === 'boolean' ? undefined : 'true or false'),
  Date: (value, { hasInfinity }) =>
    (hasInfinity && isInfinite(value)) || isInstant(value) ? undefined : 'an ISO 8601 date with a time',
  Dateonly: (value, { hasInfinity }) =>
    (hasInfinity && isInfinite(value)) || isDateOnly(value) ? undefined : 'a date of the form YYYY-MM-DD',
  Enum: textCheck,
  Json: () => undefined,
  Number: numberProblem,
  Point: patternCheck(pointText, 'a text of two numbers, "x,y"'),
  String: textCheck,
  Time: timeProblem,
  Uuid: patternCheck(uuidText, 'a UUID'),
};

function timeProblem(value: unknown, { isDuration }: ValueColumn): string | undefined {
  const isTime = typeof value === 'string' && (timeText.test(value) || (isDuration && durationText.test(value)));
  if (isTime) return undefined;
  return `a time of the form HH:MM:SS${isDuration ? ', from -838:59:59 to 838:59:59' : ''}`;
}

const outerNumbers: readonly unknown[] = ['NaN', 'Infinity', '-Infinity'];

function numberProblem(value: unknown, { isExact, hasInfinity }: ValueColumn): string | undefined {
  if (hasInfinity && outerNumbers.includes(value)) return undefined;
  if (typeof value === 'number' && Number.isFinite(value)) return undefined;
  if (typeof value === 'bigint') return undefined;
  if (typeof value === 'string' && (isExact ? decimalText : integerText).test(value)) return undefined;
  return isExact ? 'a number, or its decimal digits as text' : 'a number';
}

function isInstant(value: unknown): boolean {
  if (value instanceof Date) return !Number.isNaN(value.getTime());
  return typeof value === 'string' && value.length > 10 && value[10] === 'T' && DateTime.fromISO(value).isValid;
}

function isDateOnly(value: unknown): boolean {
  return typeof value === 'string' && dateText.test(value) && DateTime.fromISO(value).isValid;
}
