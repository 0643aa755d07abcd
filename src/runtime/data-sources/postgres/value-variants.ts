const plainInteger = /^[+-]?\d+$/;

/** A number that an index on integers cannot be asked for: a fraction, or one of more than 64 bits. */
export function isBeyondBigint(value: unknown): boolean {
  if (typeof value === 'number')
    return !Number.isSafeInteger(value) && !(Number.isInteger(value) && fits(BigInt(value)));
  if (typeof value === 'bigint') return !fits(value);
  const text = String(value).trim();
  return !plainInteger.test(text) || !fits(BigInt(text.replace(/^\+/, '')));
}

function fits(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

/** PostgreSQL has no text with a NUL in it, and takes none even to compare with. */
export function isUnstorable(value: unknown): boolean {
  return typeof value === 'string' && value.includes('\0');
}

/** The part of a value that changes the SQL of its condition. */
export function postgresVariantOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return value.includes(null) ? 'null' : '';
  if (isUnstorable(value)) return 'unstorable';
  const isNumber =
    typeof value === 'number' || typeof value === 'bigint' || /^[+-]?[\d.]+(?:e[+-]?\d+)?$/i.test(String(value));
  return isNumber && isBeyondBigint(value) ? 'beyond-bigint' : '';
}
