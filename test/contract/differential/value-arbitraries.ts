import fc, { type Arbitrary } from 'fast-check';
import type { NeutralType } from '../data-source/tables.ts';

/** Few characters, so that texts often hold one another; among them every wildcard, and letters with odd lower cases. */
const characters = [
  ...['a', 'A', 'b', 'k', 'i', 's', 'é', 'É', 'e\u0301', 'ß', 'Σ', 'σ', 'ς', 'İ', 'ı', '\u212a', 'ſ', 'Ǆ', 'ǅ', 'ẞ'],
  ...['%', '_', '\\', '*', '?', '[', ']', '^', '-', "'", '"', '`', '.', '$', '(', '|', '{', '\n', '\r\n', '\t', ' '],
  ...['😀', '𐐀', '𐐨', '\ufb00', '\uffee', '0', '1'],
];

export const text: Arbitrary<string> = fc
  .array(fc.constantFrom(...characters), { maxLength: 5, size: 'max' })
  .map((parts) => parts.join(''));

/** Where clocks change, years and leap days begin and end, and what no clock shows. */
const oddInstants = [
  '1969-12-31T23:59:59.999Z',
  '1970-01-01T00:00:00.000Z',
  '2000-02-29T00:00:00.000Z',
  '2023-12-31T23:00:00.000Z',
  '2024-02-29T12:00:00.000Z',
  '2024-03-10T06:59:59.999Z',
  '2024-03-10T07:00:00.000Z',
  '2024-03-31T00:59:59.999Z',
  '2024-03-31T01:00:00.000Z',
  '2024-10-27T00:30:00.000Z',
  '2024-10-27T01:30:00.000Z',
  '2024-11-03T05:30:00.000Z',
  '2024-11-03T06:30:00.000Z',
  '2024-12-29T15:00:00.000Z',
  '2024-12-31T23:59:59.999Z',
  '2025-01-01T00:00:00.000Z',
];

const instantAt = (milliseconds: number) => new Date(milliseconds).toISOString();

const instant = fc.oneof(
  fc.constantFrom(...oddInstants),
  fc.integer({ min: Date.UTC(1950, 0), max: Date.UTC(2080, 0) }).map(instantAt),
  // Whole quarter hours, so that local midnights of any zone come up.
  fc.integer({ min: 0, max: 35_040 * 2 }).map((quarter) => instantAt(Date.UTC(2024, 0) + quarter * 900_000)),
);

const day = fc.oneof(
  fc.constantFrom('1970-01-01', '1999-12-31', '2000-02-29', '2024-02-29', '2024-03-31', '2024-12-30', '2025-01-01'),
  fc.integer({ min: -20_000, max: 40_000 }).map((days) => instantAt(days * 86_400_000).slice(0, 10)),
  fc.integer({ min: 0, max: 800 }).map((days) => instantAt(Date.UTC(2024, 0) + days * 86_400_000).slice(0, 10)),
);

const time = fc.oneof(
  fc.constantFrom('00:00:00', '23:59:59', '12:00:00'),
  fc.integer({ min: 0, max: 86_399 }).map((seconds) => instantAt(seconds * 1000).slice(11, 19)),
);

const uuids = [
  '00000000-0000-4000-8000-000000000000',
  '12345678-9abc-4def-8123-456789abcdef',
  'abcdefab-cdef-4abc-8def-abcdefabcdef',
  'ffffffff-ffff-4fff-bfff-ffffffffffff',
] as const;

const integer = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(-2147483648, -2147483647, 2147483646, 2147483647),
  fc.integer({ min: -2147483648, max: 2147483647 }),
);

const bigint = fc
  .oneof(
    fc.bigInt({ min: -3n, max: 3n }),
    fc.constantFrom(2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, -(2n ** 53n), -(2n ** 53n) - 1n),
    fc.constantFrom(2n ** 63n - 1n, -(2n ** 63n)),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  )
  .map(String);

/** Eighths: their sums are exact, in whatever order an engine adds them. */
const float = fc
  .oneof(fc.integer({ min: -16, max: 16 }), fc.integer({ min: -(2 ** 42), max: 2 ** 42 }))
  .map((eighths) => (eighths === 0 ? 0 : eighths / 8));

function decimal([precision, scale]: readonly [number, number]): Arbitrary<string> {
  const limit = 10n ** BigInt(precision) - 1n;
  return fc
    .oneof(fc.bigInt({ min: -300n, max: 300n }), fc.constantFrom(limit, -limit), fc.bigInt({ min: -limit, max: limit }))
    .map((units) => decimalOf(units, scale));
}

function decimalOf(units: bigint, scale: number): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  return `${units < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** A value as records of the column carry it; never `null`. */
export function storedValueOf(type: NeutralType): Arbitrary<unknown> {
  if (typeof type === 'object') return 'enum' in type ? fc.constantFrom(...type.enum) : decimal(type.decimal);
  switch (type) {
    case 'bigint':
      return bigint;
    case 'binary':
      return fc.uint8Array({ maxLength: 4 });
    case 'boolean':
      return fc.boolean();
    case 'day':
      return day;
    case 'float':
      return float;
    case 'instant':
      return instant;
    case 'integer':
      return integer;
    case 'json':
      return fc.constantFrom<unknown>({ a: 1 }, [1, 'é'], 'text', 5, true);
    case 'text':
      return text;
    case 'time':
      return time;
    case 'uuid':
      return fc.constantFrom(...uuids);
  }
}

/** A value to compare with, in any of the forms that mean the same or nearly so. */
export function comparedValueOf(type: NeutralType): Arbitrary<unknown> {
  const value = storedValueOf(type);
  if (type === 'instant') {
    return fc.oneof(
      value,
      value.map((found) => String(found).replace('Z', '+00:00')),
      value.map((found) => String(found).replace('Z', '250Z')),
      value.map((found) => instantAt(Date.parse(String(found)) + 3_600_000).replace('Z', '+01:00')),
    );
  }
  if (type === 'uuid')
    return fc.oneof(
      value,
      value.map((found) => String(found).toUpperCase()),
    );
  if (type === 'time')
    return fc.oneof(
      value,
      value.map((found) => String(found).slice(0, 5)),
    );
  if (type === 'bigint') return fc.oneof(value, fc.integer({ min: -3, max: 3 }));
  if (typeof type === 'object' && 'decimal' in type) {
    return fc.oneof(
      value,
      fc.integer({ min: -3, max: 3 }),
      value.map((found) => `${found}000`),
      fc.constantFrom(0.1, 2.5, -0.25),
    );
  }
  return value;
}
