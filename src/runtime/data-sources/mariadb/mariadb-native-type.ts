import type { ColumnSchema } from '../../query/collection-schema.ts';
import { showsMilliseconds } from '../../query/instant-precision.ts';

/** How a column is stored, as far as its SQL depends on it. */
export type Storage =
  | 'text'
  | 'uuid'
  | 'address'
  | 'integer'
  | 'decimal'
  | 'float'
  | 'double'
  | 'bit'
  | 'year'
  | 'boolean'
  | 'instant'
  | 'day'
  | 'time'
  | 'geometry'
  | 'other';

/** A declared type in parts: `decimal(12,2) unsigned`, `varchar(40) collate utf8mb4_general_ci`. */
export interface NativeType {
  /** Lower case, without arguments. */
  readonly name: string;
  readonly numbers: readonly number[];
  readonly isUnsigned: boolean;
  readonly collation: string | undefined;
}

const parsed = new Map<string, NativeType>();
const maxParsed = 5000;

/** Read the declared type of a column; texts carry their collation behind it. */
export function parseNativeType(declared: string): NativeType {
  const known = parsed.get(declared);
  if (known) return known;
  const [, name = '', inBrackets = '', rest = ''] = /^\s*([a-z_0-9]+)\s*(?:\((.*)\))?([^)]*)$/is.exec(declared) ?? [];
  const type: NativeType = {
    name: name.toLowerCase(),
    numbers: /^[\d\s,]+$/.test(inBrackets) ? inBrackets.split(',').map(Number) : [],
    isUnsigned: /\bunsigned\b/i.test(rest),
    collation: /\bcollate (\w+)/i.exec(rest)?.[1],
  };
  if (parsed.size >= maxParsed) parsed.clear();
  parsed.set(declared, type);
  return type;
}

export function nativeTypeOf(column: ColumnSchema): NativeType {
  return parseNativeType(column.nativeType);
}

const geometries: ReadonlySet<string> = new Set([
  'geometry',
  'point',
  'linestring',
  'polygon',
  'multipoint',
  'multilinestring',
  'multipolygon',
  'geometrycollection',
  'geomcollection',
]);

const storages: Readonly<Record<string, Storage>> = {
  tinyint: 'integer',
  smallint: 'integer',
  mediumint: 'integer',
  int: 'integer',
  integer: 'integer',
  bigint: 'integer',
  decimal: 'decimal',
  numeric: 'decimal',
  float: 'float',
  double: 'double',
  real: 'double',
  bit: 'bit',
  year: 'year',
  date: 'day',
  datetime: 'instant',
  timestamp: 'instant',
  time: 'time',
  char: 'text',
  varchar: 'text',
  tinytext: 'text',
  text: 'text',
  mediumtext: 'text',
  longtext: 'text',
  enum: 'text',
  set: 'text',
  uuid: 'uuid',
  inet4: 'address',
  inet6: 'address',
};

export function isGeometry(name: string): boolean {
  return geometries.has(name);
}

export function storageOf(column: ColumnSchema): Storage {
  if (column.type === 'Boolean') return 'boolean';
  const { name } = nativeTypeOf(column);
  return isGeometry(name) ? 'geometry' : (storages[name] ?? 'other');
}

/** Digits before and after the point that an exact column holds. */
export function digitsOf(column: ColumnSchema): { readonly whole: number; readonly scale: number } {
  const { name, numbers } = nativeTypeOf(column);
  if (name !== 'decimal' && name !== 'numeric') return { whole: 20, scale: 0 };
  const [precision = 10, scale = 0] = numbers;
  return { whole: precision - scale, scale };
}

/** Digits of the second that a Date or Time column keeps. */
export function fractionDigitsOf(column: ColumnSchema): number {
  return nativeTypeOf(column).numbers[0] ?? 0;
}

/** Whether records show less of the instants of a column than it keeps. */
export function hidesMicroseconds(column: ColumnSchema): boolean {
  return showsMilliseconds(column) && fractionDigitsOf(column) > 3;
}
