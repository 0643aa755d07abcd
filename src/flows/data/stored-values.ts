import type { SeededRandom } from '#project/index';
import type { RecordData, RecordStore, TableRules } from '#runtime/index';
import { anywhere, type StoredCollection } from './development-data.ts';
import { type ParentRelation, parentRelations } from './parent-order.ts';

/** What records are made with. */
export interface Seeding {
  readonly store: RecordStore;
  readonly random: SeededRandom;
  /** Records to make in each collection. */
  readonly rows: number;
  /** Milliseconds since the epoch; dates are in the year before. */
  readonly now: number;
  readonly rules: ReadonlyMap<string, TableRules>;
  /** The share of records that are marked as deleted, from 0 to 1. */
  readonly deletedShare: number;
  /** How often the database has refused all records by a check that cannot be read. */
  readonly refusals: number;
}

/** The most records of a collection that become parents of new ones. */
const mostParents = 1_000;

/** What the key columns of a new record may be. */
export interface ParentKeys {
  /** The columns that lead to other records. */
  readonly columns: ReadonlySet<string>;
  /** Values for all of them; `undefined` where there is no record to lead to. */
  pick(): RecordData | undefined;
}

export async function readParentKeys(collection: StoredCollection, seeding: Seeding): Promise<ParentKeys> {
  const relations = parentRelations(collection);
  const choices = await Promise.all(relations.map((relation) => keysOf(collection, relation, seeding)));
  return {
    columns: new Set(relations.flatMap(({ join }) => join.map(({ local }) => local))),
    pick() {
      const picked = choices.map(([first, ...others]) => first && seeding.random.pick([first, ...others]));
      return picked.includes(undefined) ? undefined : (Object.assign({}, ...picked) as RecordData);
    },
  };
}

/** The values that the key columns of a relation may have; null where the relation may lead nowhere and there are no records yet. */
async function keysOf(
  { schema }: StoredCollection,
  { foreignCollection, join }: ParentRelation,
  { store }: Seeding,
): Promise<readonly RecordData[]> {
  const projection = join.map(({ foreign }) => foreign);
  const page = { skip: 0, limit: mostParents };
  const parents = await store.list({ collection: foreignCollection, projection, page }, anywhere);
  const keys = parents.map((parent) => Object.fromEntries(join.map(({ local, foreign }) => [local, parent[foreign]])));
  const isOptional = join.every(({ local }) => {
    const column = schema.fields.get(local);
    return column?.kind === 'column' && column.isNullable;
  });
  if (keys.length > 0 || !isOptional) return keys;
  return [Object.fromEntries(join.map(({ local }) => [local, null]))];
}

/** The sets of values that records of a collection have already, for each set of columns that must be unique. */
interface UniqueValues {
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
