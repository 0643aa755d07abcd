import { CloudError, isCloudError } from '#kernel/errors/cloud-error';
import { createSeededRandom, type SeededRandom } from '#project/index';
import type { ColumnSchema, DataSource, RecordData, RecordStore } from '#runtime/index';
import type { FlowContext } from '../flow-context.ts';
import { anywhere, namedCollections, type StoredCollection, withDevelopmentData } from './development-data.ts';
import { generatedValue } from './generated-value.ts';
import { type ParentRelation, parentRelations, parentsFirst } from './parents-first.ts';

export interface SeedInput {
  readonly folder: string;
  /** Names of the collections to fill; all of them for none. */
  readonly collections: readonly string[];
  /** Records to make in each. */
  readonly rows: number;
  /** The same number makes the same records, on databases with the same contents and on the same day. */
  readonly seed: number;
}

export interface SeededData {
  readonly seed: number;
  readonly collections: readonly { readonly name: string; readonly created: number }[];
}

const batchSize = 500;
/** So many records of a collection are parents of new ones. */
const mostParents = 1_000;
const dayMs = 24 * 60 * 60 * 1000;

interface Seeding {
  readonly store: RecordStore;
  readonly random: SeededRandom;
  readonly rows: number;
  readonly now: number;
  readonly byName: ReadonlyMap<string, StoredCollection>;
}

/** Fill collections with records that fit their columns and keys; of each database all of them or none. */
export function seedData(context: FlowContext, { folder, collections, rows, seed }: SeedInput): Promise<SeededData> {
  return withDevelopmentData(context, folder, async (data) => {
    const wanted = namedCollections(data, collections).filter(({ schema }) => !schema.isReadOnly);
    const random = createSeededRandom(seed);
    const now = Math.floor(context.clock.now() / dayMs) * dayMs;
    const created: { name: string; created: number }[] = [];
    for (const [source, ofSource] of bySource(parentsFirst(wanted))) {
      let name = '';
      const filling = source.transaction(async (store) => {
        const seeding = { store, random, rows, now, byName: data.collections };
        for (const collection of ofSource) {
          name = collection.schema.name;
          const records = await recordsFor(collection, seeding);
          for (let start = 0; start < records.length; start += batchSize) {
            await store.create(collection.schema.name, records.slice(start, start + batchSize), anywhere);
          }
          created.push({ name, created: records.length });
        }
      }, anywhere);
      await filling.catch((cause: unknown) => {
        throw notFitting(name, cause);
      });
    }
    return { seed, collections: created };
  });
}

/** What the database says of its refusal names columns at most. */
function notFitting(collection: string, cause: unknown): unknown {
  if (!isCloudError(cause) || cause.kind !== 'user' || cause.code === 'USAGE_INVALID') return cause;
  return new CloudError({
    code: 'USAGE_INVALID',
    message: `The records made for "${collection}" do not fit: ${cause.message}`,
    nextSteps: ['Leave the collection out: name the others with --collection.'],
    cause,
  });
}

export function bySource(
  collections: readonly StoredCollection[],
): ReadonlyMap<DataSource, readonly StoredCollection[]> {
  return Map.groupBy(collections, ({ source }) => source);
}

async function recordsFor(collection: StoredCollection, seeding: Seeding): Promise<readonly RecordData[]> {
  const { store, random, rows, now } = seeding;
  const { schema } = collection;
  const before = await store.count(schema.name, undefined, anywhere);
  const relations = parentRelations(collection);
  const keys = await keysToParents(collection, relations, seeding);
  const ofKeys = new Set(relations.flatMap(({ join }) => join.map(({ local }) => local)));
  const columns = columnsToFill(collection).filter(({ name }) => !ofKeys.has(name));
  return keys.slice(0, rows).map((ofParents, index) => {
    const number = before + index + 1;
    const values = columns.map((column) => {
      const isEmpty = column.isNullable && (column.type === 'Point' || random.chance(0.15));
      return [column.name, isEmpty ? null : generatedValue({ column, number, random, now })];
    });
    return { ...Object.fromEntries(values), ...ofParents };
  });
}

/** What the database fills in by itself is left to it, but for the values of an enum, which are to vary. */
function columnsToFill({ schema }: StoredCollection): readonly ColumnSchema[] {
  return [...schema.fields.values()].filter(
    (field): field is ColumnSchema =>
      field.kind === 'column' && !field.isReadOnly && (!field.hasDefault || Boolean(field.enumValues?.length)),
  );
}

/** The columns of keys, a record each: as many as are wanted, or as there are combinations of keys that must be unique. */
async function keysToParents(
  collection: StoredCollection,
  relations: readonly ParentRelation[],
  seeding: Seeding,
): Promise<readonly RecordData[]> {
  const { random, rows } = seeding;
  const choices = await Promise.all(relations.map((relation) => parentKeys(collection, relation, seeding)));
  const uniqueSets = [
    ...relations
      .filter((relation) => isUnique(collection, relation, seeding))
      .map(({ join }) => join.map(({ local }) => local)),
    collection.schema.primaryKey,
  ].filter((columns) => columns.length > 0 && columns.every((column) => isOfKey(relations, column)));
  const taken = await Promise.all(uniqueSets.map((columns) => takenKeys(collection, columns, seeding)));
  const records: RecordData[] = [];
  // A few more tries than records, because a key may have been taken.
  for (let attempt = 0; records.length < rows && attempt < rows * 20; attempt++) {
    const picked = choices.map((keys) =>
      keys.length > 0 ? random.pick(keys as [RecordData, ...RecordData[]]) : undefined,
    );
    if (picked.some((key) => key === undefined)) return [];
    const record = Object.assign({}, ...picked) as RecordData;
    const own = uniqueSets.map((columns) => JSON.stringify(columns.map((column) => record[column])));
    if (own.some((key, index) => taken[index]?.has(key))) continue;
    for (const [index, key] of own.entries()) taken[index]?.add(key);
    records.push(record);
  }
  return records;
}

function isOfKey(relations: readonly ParentRelation[], column: string): boolean {
  return relations.some(({ join }) => join.some(({ local }) => local === column));
}

/** Whether the relation is one to one seen from the other side. */
function isUnique({ schema }: StoredCollection, relation: ParentRelation, { byName }: Seeding): boolean {
  const fields = byName.get(relation.foreignCollection)?.schema.fields.values() ?? [];
  return [...fields].some(
    (field) =>
      field.kind === 'OneToOne' &&
      field.foreignCollection === schema.name &&
      field.join.every(({ foreign }) => relation.join.some(({ local }) => local === foreign)),
  );
}

/** The values that the key columns of a relation may have; null where the relation may lead nowhere and there are no records yet. */
async function parentKeys(
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

async function takenKeys(
  { schema }: StoredCollection,
  columns: readonly string[],
  { store }: Seeding,
): Promise<Set<string>> {
  const records = await store.list({ collection: schema.name, projection: columns }, anywhere);
  return new Set(records.map((record) => JSON.stringify(columns.map((column) => record[column]))));
}
