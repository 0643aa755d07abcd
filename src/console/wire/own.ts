/** What a record has under a name. A collection or a field may be called `constructor` or `__proto__`, which every object knows. */
export function own<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
