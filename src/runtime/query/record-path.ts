import type { RecordData } from './record-query.ts';

/** Reads the value at the end of `column` or `relation:column`; `null` where there is none on the way. */
export function valueReader(path: string): (record: RecordData) => unknown {
  const steps = path.split(':');
  const [only] = steps;
  if (steps.length === 1 && only !== undefined) return (record) => ownValue(record, only);
  return (record) => steps.reduce<unknown>(ownValue, record);
}

function ownValue(holder: unknown, name: string): unknown {
  if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, name)) return null;
  return (holder as RecordData)[name] ?? null;
}
