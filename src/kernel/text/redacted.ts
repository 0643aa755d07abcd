const secret = /svc_(?:live|test)_\w+/g;

/** How deep fields are looked through; what is deeper is not logged by anybody. */
const deepest = 8;

/** A value without the secrets of API tokens: the same one where it has none, else a copy. An error becomes a plain object. */
export function redacted(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return value.replace(secret, '[redacted]');
  if (typeof value !== 'object' || value === null || depth > deepest) return value;
  if (value instanceof Error) return redactedError(value, depth);
  if (Array.isArray(value))
    return sameOr(
      value,
      value.map((item) => redacted(item, depth + 1)),
    );
  if (!isPlain(value)) return value;
  const entries = Object.entries(value);
  const copies = entries.map(([name, field]) => [name, redacted(field, depth + 1)] as const);
  return entries.every(([, field], place) => field === copies[place]?.[1]) ? value : Object.fromEntries(copies);
}

function redactedError(error: Error, depth: number): unknown {
  const { name, message, stack, cause } = error;
  const facts = { name, message, stack, ...('code' in error ? { code: error.code } : {}), cause };
  const copy = redacted(facts, depth + 1);
  return copy === facts ? error : copy;
}

function sameOr(value: readonly unknown[], copy: readonly unknown[]): readonly unknown[] {
  return value.every((item, place) => item === copy[place]) ? value : copy;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
