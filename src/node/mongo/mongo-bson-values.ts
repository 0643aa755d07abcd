import { Binary, Decimal128, Double, ObjectId, UUID } from 'mongodb';

/** The BSON types of single values, as `$type` and `$jsonSchema` name them; `uuid` is a `binData` of that subtype. */
export type BsonType =
  | 'null'
  | 'bool'
  | 'int'
  | 'double'
  | 'long'
  | 'decimal'
  | 'string'
  | 'date'
  | 'objectId'
  | 'uuid'
  | 'binData'
  | 'array'
  | 'object'
  | 'other';

export function newObjectId(): ObjectId {
  return new ObjectId();
}

/** The id that 24 hexadecimal digits spell, or `undefined`. */
export function objectIdOf(text: string): ObjectId | undefined {
  return /^[0-9a-f]{24}$/i.test(text) ? ObjectId.createFromHexString(text) : undefined;
}

export function uuidOf(text: string): UUID | undefined {
  return UUID.isValid(text) ? new UUID(text) : undefined;
}

/** Beyond the 34 digits of the type the number is rounded. */
export function decimalOf(text: string): Decimal128 {
  return Decimal128.fromStringWithRounding(text);
}

/** A whole number would be sent as an integer, which a schema may refuse. */
export function doubleOf(value: number): Double {
  return new Double(value);
}

export function binaryOf(bytes: Uint8Array): Binary {
  return new Binary(bytes);
}

export function bsonTypeOf(value: unknown): BsonType {
  if (value === null || value === undefined) return 'null';
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'number':
      return Number.isInteger(value) ? 'int' : 'double';
    case 'bigint':
      return 'long';
    case 'string':
      return 'string';
    default:
      return bsonTypeOfObject(value);
  }
}

function bsonTypeOfObject(value: unknown): BsonType {
  if (Array.isArray(value)) return 'array';
  if (value instanceof Date) return 'date';
  if (value instanceof ObjectId) return 'objectId';
  if (value instanceof Decimal128) return 'decimal';
  if (value instanceof Double) return 'double';
  if (value instanceof Binary) return value.sub_type === Binary.SUBTYPE_UUID ? 'uuid' : 'binData';
  if (value instanceof Uint8Array) return 'binData';
  return isPlainObject(value) ? 'object' : 'other';
}

/** Classes of the BSON library that have no form of their own here, such as `Timestamp`, are not a plain objects. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** A value as JSON has it: ids, instants and exact numbers are texts, bytes a text in base64. */
export function plainValue(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(plainValue);
  if (value instanceof Double) return value.value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof UUID || value instanceof ObjectId || value instanceof Decimal128) return value.toString();
  if (value instanceof Binary || value instanceof Uint8Array) return Buffer.from(bytesOf(value)).toString('base64');
  if (!isPlainObject(value)) return String(value);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plainValue(inner)]));
}

export function bytesOf(value: Binary | Uint8Array): Uint8Array {
  return value instanceof Binary ? new Uint8Array(value.value()) : new Uint8Array(value);
}
