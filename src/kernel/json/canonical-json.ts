/** JSON text with the keys of every object in code-unit order (RFC 8785): the same value gives the same bytes everywhere. */
export function canonicalJson(value: unknown): string {
  // A replacer would be called for every member, which takes twice as long.
  return JSON.stringify(sorted(value));
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  // Such as a date, which says itself what it is in JSON.
  if ('toJSON' in value) return sorted(JSON.parse(JSON.stringify(value)));
  const copy: Record<string, unknown> = {};
  const members = value as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(value).sort()) {
    const inner = sorted(members[name]);
    // An assignment would set the prototype of the copy.
    if (name === '__proto__') Object.defineProperty(copy, name, { value: inner, enumerable: true });
    else copy[name] = inner;
  }
  return copy;
}
