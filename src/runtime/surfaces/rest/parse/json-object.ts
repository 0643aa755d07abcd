export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member of a JSON object, or `undefined` where there is none or the parent is something else. */
export function memberOf(parent: unknown, name: string): unknown {
  return isJsonObject(parent) && Object.hasOwn(parent, name) ? parent[name] : undefined;
}

/** A member that is an object itself, or an empty one. */
export function objectMemberOf(parent: unknown, name: string): JsonObject {
  const member = memberOf(parent, name);
  return isJsonObject(member) ? member : {};
}
