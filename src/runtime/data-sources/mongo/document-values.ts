import {
  binaryOf,
  bsonTypeOf,
  bytesOf,
  decimalOf,
  doubleOf,
  newObjectId,
  objectIdOf,
  plainValue,
  uuidOf,
} from '#node/mongo/mongo-bson-values';
import { bytesOfText } from '../../query/bytes-of-text.ts';
import type { ColumnSchema, ColumnType } from '../../query/collection-schema.ts';
import { decimalText, parseDecimal, roundDecimal, trimDecimal } from '../../query/exact-decimal.ts';
import { isListType } from '../../query/operators.ts';
import { nullDocument } from '../../query/stored-document.ts';
import { millisecondOf } from '../../query/value-order.ts';

type Stored = Pick<ColumnSchema, 'type' | 'nativeType' | 'isExact' | 'scale'>;

const longest = 2n ** 63n;

/** A value of a record, or of a condition, as documents hold it. A text that is not an id, not a UUID and so on stays a text. */
export function encodeValue(column: Stored, value: unknown): unknown {
  if (value === null || value === undefined || value === nullDocument) return null;
  const { type } = column;
  if (isListType(type) && Array.isArray(value)) {
    const item = itemOf(column, type[0]);
    return value.map((element) => encodeValue(item, element));
  }
  switch (type) {
    case 'Number':
      if (column.isExact) return encodeExact(column, value);
      return column.nativeType === 'double' ? doubleOf(Number(value)) : Number(value);
    case 'Date':
      return encodeInstant(value);
    case 'Binary':
      return binaryOf(value instanceof Uint8Array ? value : bytesOfText(String(value)));
    case 'Uuid':
      return uuidOf(String(value)) ?? value;
    case 'String':
      return column.nativeType === 'objectId' ? (objectIdOf(String(value)) ?? value) : value;
    default:
      return value;
  }
}

/** The same for what a condition compares with: every digit counts there, also those that the column rounds away. */
export function encodeOperand({ type, nativeType, isExact }: Stored, value: unknown): unknown {
  return encodeValue({ type, nativeType, isExact }, value);
}

/** A value of a document as records carry it. What is not of the column's type comes as JSON has it. */
export function decodeValue(column: Stored, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  const { type } = column;
  if (isListType(type) && Array.isArray(value)) {
    const item = itemOf(column, type[0]);
    return value.map((element) => decodeValue(item, element));
  }
  const bsonType = bsonTypeOf(value);
  if (type === 'Number' && column.isExact) return exactText(value);
  if (type === 'Number' && (bsonType === 'long' || bsonType === 'decimal')) return Number(value);
  if (type === 'Binary' && bsonType === 'binData') return bytesOf(value as Uint8Array);
  return plainValue(value);
}

/** A new key where the keys of the collection are ids of the database. */
export function newKey({ nativeType }: Pick<ColumnSchema, 'nativeType'>): unknown {
  return nativeType === 'objectId' ? newObjectId() : undefined;
}

/** The text of a number with every digit, as `12.50`; what is not a number comes as JSON has it. */
export function exactText(value: unknown): unknown {
  const decimal = parseDecimal(typeof value === 'object' ? String(value) : value);
  return decimal ? decimalText(decimal) : plainValue(value);
}

function itemOf(column: Stored, type: ColumnType): Stored {
  return { type, nativeType: column.nativeType.replace(/^array of /, ''), isExact: column.isExact };
}

/** A `long` as long as it fits, else a `decimal`. */
function encodeExact({ nativeType, scale }: Stored, value: unknown): unknown {
  const given = parseDecimal(value);
  if (!given) return Number(value);
  const rounded = scale === undefined ? given : roundDecimal(given, scale);
  const text = decimalText(rounded);
  if (nativeType !== 'long' || trimDecimal(rounded, 0).scale > 0) return decimalOf(text);
  const whole = BigInt(decimalText(trimDecimal(rounded, 0)));
  return whole < longest && whole >= -longest ? whole : decimalOf(text);
}

function encodeInstant(value: unknown): unknown {
  const milliseconds = millisecondOf(value);
  return new Date(Number(milliseconds));
}
