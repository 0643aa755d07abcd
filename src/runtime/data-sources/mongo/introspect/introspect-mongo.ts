import type { MongoCollectionDescription, MongoDatabase } from '#kernel/ports/mongo-database';
import { plainValue } from '#node/mongo/mongo-bson-values';
import type { TableDescription } from '../../tables/table-description.ts';
import type { MongoDescription } from '../mongo-data-source.ts';
import { type DescribedCollection, describeDocuments } from './describe-documents.ts';
import { findReferences } from './find-references.ts';
import { checkFlattening, type FlattenOptions, flatteningOf } from './flatten-options.ts';
import { type SampledValue, sampledDocuments } from './sampled-values.ts';

export interface IntrospectionOptions extends FlattenOptions {
  /** How many documents of each collection are looked at, the oldest and the newest by their keys. Default 100. */
  readonly sampleSize?: number | undefined;
  /** How many values of a field are looked for in other collections; `0`: none, and no references. Default 10. */
  readonly referenceSampleSize?: number | undefined;
}

/** What samples of the documents, the indexes and the schemas of a database say of its collections. */
export async function introspectMongo(
  database: MongoDatabase,
  options: IntrospectionOptions = {},
): Promise<MongoDescription> {
  const { sampleSize = 100, referenceSampleSize = 10 } = options;
  const described = await database.describeCollections();
  const samples = await Promise.all(
    described.map(async (collection) => ({
      collection,
      sampled: sampledDocuments(await sampleOf(database, collection, sampleSize), referenceSampleSize),
    })),
  );
  const shown = samples.filter(({ collection, sampled }) => sampled.places > 0 || collection.jsonSchema);
  checkFlattening(options, (name) => placesOf(shown.find(({ collection }) => collection.name === name)?.sampled));
  const parts = shown.map(({ collection, sampled }) =>
    describeDocuments(collection, sampled, flatteningOf(options, collection.name)),
  );
  const { collections, warnings } = withoutClashes(parts.flatMap((part) => part.collections));
  const references = await findReferences(database, collections);
  const empty = samples.flatMap(({ collection, sampled }) =>
    sampled.places === 0 && !collection.jsonSchema ? [collection.name] : [],
  );
  return {
    tables: collections.map(
      (collection): TableDescription => ({
        name: collection.name,
        isView: false,
        columns: collection.columns.map(({ column }) => column),
        primaryKey: collection.primaryKey,
        foreignKeys: references.get(collection.name) ?? [],
        uniqueKeys: collection.uniqueKeys,
      }),
    ),
    sources: new Map(collections.map(({ name, source }) => [name, source])),
    readOnly: new Set(collections.flatMap(({ name, isReadOnly }) => (isReadOnly ? [name] : []))),
    warnings: [...parts.flatMap((part) => part.warnings), ...warnings, ...emptyWarning(empty)],
  };
}

/** The oldest documents and the newest: their shapes differ most, and the index of the key finds both. */
async function sampleOf(database: MongoDatabase, { name }: MongoCollectionDescription, size: number) {
  const half = Math.max(1, Math.floor(size / 2));
  const read = (direction: 1 | -1, limit: number) =>
    database.aggregate(name, [{ $sort: { _id: direction } }, { $limit: limit }]);
  const [oldest, newest] = await Promise.all([read(1, Math.max(1, size - half)), read(-1, half)]);
  const known = new Set(oldest.map(({ _id }) => JSON.stringify(plainValue(_id))));
  return [...oldest, ...newest.filter(({ _id }) => !known.has(JSON.stringify(plainValue(_id))))];
}

function placesOf(sampled: SampledValue | undefined) {
  if (!sampled) return undefined;
  const [arrays, objects] = [new Set<string>(), new Set<string>()];
  const walk = ({ fields }: SampledValue, path: string) => {
    for (const [name, value] of fields) {
      const at = path === '' ? name : `${path}.${name}`;
      if (value.types.has('array')) arrays.add(at);
      if (value.types.has('object')) objects.add(at);
      walk(value, at);
    }
  };
  walk(sampled, '');
  return { arrays, objects };
}

/** A collection keeps its name; one that is made of an array gives way. */
function withoutClashes(collections: readonly DescribedCollection[]) {
  const names = new Set(collections.filter(({ parent }) => parent === undefined).map(({ name }) => name));
  const isTaken = ({ name, parent }: DescribedCollection) => parent !== undefined && names.has(name);
  return {
    collections: collections.filter((collection) => !isTaken(collection)),
    warnings: collections
      .filter(isTaken)
      .map(
        ({ name, source }) =>
          `The array "${source.element?.path}" is not shown as the collection "${name}": there is one of that name.`,
      ),
  };
}

function emptyWarning(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  return [`Collections without any document and without a schema are left out: ${names.join(', ')}.`];
}
