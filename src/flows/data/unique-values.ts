import type { RecordData, RecordStore } from '#runtime/index';
import { anywhere } from './development-data.ts';

/** The sets of values that records of a collection have already, for each set of columns that must be unique. */
export interface UniqueValues {
  /** Whether the record has no values that are taken. */
  areFree(record: RecordData): boolean;
  take(record: RecordData): void;
}

export async function readUniqueValues(
  store: RecordStore,
  collection: string,
  keys: readonly (readonly string[])[],
): Promise<UniqueValues> {
  const taken = await Promise.all(
    keys.map(async (columns) => {
      const records = await store.list({ collection, projection: columns }, anywhere);
      return new Set(records.flatMap((record) => keyOf(record, columns) ?? []));
    }),
  );
  return {
    areFree: (record) => keys.every((columns, index) => !taken[index]?.has(keyOf(record, columns) ?? '')),
    take(record) {
      for (const [index, columns] of keys.entries()) {
        const key = keyOf(record, columns);
        if (key !== undefined) taken[index]?.add(key);
      }
    },
  };
}

/** The values as a text to compare, as the least exact database compares them. With a null among them they are never the same. */
function keyOf(record: RecordData, columns: readonly string[]): string | undefined {
  const values = columns.map((name) => record[name] ?? null);
  return values.includes(null) ? undefined : JSON.stringify(values.map(comparable));
}

function comparable(value: unknown): unknown {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return value;
  if (/^-?\d+(?:\.\d+)?$/.test(value)) return String(Number(value));
  // Databases keep seconds, or parts of them.
  if (/^\d{4}-\d{2}-\d{2}T/.test(value)) return value.slice(0, 19);
  return value.trimEnd().toLowerCase();
}
