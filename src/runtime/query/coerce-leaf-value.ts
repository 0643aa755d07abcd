import type { ColumnSchema } from './collection-schema.ts';
import type { ColumnType } from './column-type.ts';
import { isListType, type Operator, operatorArguments } from './operators.ts';

const trueTexts = new Set(['true', 'yes', '1']);
const falseTexts = new Set(['false', 'no', '0']);
/** Records show them as texts, since JSON has no such numbers. */
const outerNumbers = new Set(['NaN', 'Infinity', '-Infinity']);

/** The value of a condition, made to the type of its column as far as that is meant: `"1, 3"` → `[1, 3]`, `"yes"` → `true`. */
export function coerceLeafValue(column: ColumnSchema, operator: Operator, value: unknown): unknown {
  if (value === null || value === undefined) return value;
  const argument = operatorArguments[operator];
  if (argument === 'none') return value;
  if (argument === 'number') return Number(value);
  const itemType = isListType(column.type) ? column.type[0] : column.type;
  if (argument === 'list' || isListType(column.type)) return coerceList(itemType, column, value);
  return coerceOne(itemType, column, value);
}

type NumberColumn = Pick<ColumnSchema, 'isExact' | 'hasInfinity'>;

function coerceList(type: ColumnType, column: NumberColumn, value: unknown): unknown {
  const items: readonly unknown[] =
    typeof value === 'string' ? itemsOfText(type, value) : Array.isArray(value) ? value : [value];
  const coerced = items.map((item) => {
    if (item === null) return null;
    return Array.isArray(item) && type !== 'Json' ? coerceList(type, column, item) : coerceOne(type, column, item);
  });
  return type === 'Number' ? coerced.filter((item) => !Number.isNaN(item)) : coerced;
}

/** A data URI has commas of its own: in a text there is one of them, in a list any number. */
function itemsOfText(type: ColumnType, text: string): readonly string[] {
  return type === 'Binary' && /^data:/i.test(text) ? [text] : text.split(',').map((item) => item.trim());
}

function coerceOne(type: ColumnType, column: NumberColumn, value: unknown): unknown {
  switch (type) {
    case 'String':
    case 'Date':
    case 'Dateonly':
      return value instanceof Date ? value.toISOString() : typeof value === 'object' ? value : String(value);
    case 'Number':
      return coerceNumber(column, value);
    case 'Boolean':
      return coerceBoolean(value);
    default:
      return value;
  }
}

function coerceNumber({ isExact, hasInfinity }: NumberColumn, value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (typeof value !== 'string' || value.trim() === '') return Number.NaN;
  if (hasInfinity && outerNumbers.has(value.trim())) return value.trim();
  const asNumber = Number(value);
  // The digits of an exact number stay text: a JS number would round them.
  const isRounded = isExact || (/^\s*[+-]?\d+\s*$/.test(value) && !Number.isSafeInteger(asNumber));
  return Number.isFinite(asNumber) && isRounded ? value.trim() : asNumber;
}

function coerceBoolean(value: unknown): boolean {
  if (typeof value !== 'string') return Boolean(value);
  if (trueTexts.has(value)) return true;
  if (falseTexts.has(value)) return false;
  return Boolean(value);
}
