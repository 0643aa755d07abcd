import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { MongoPipeline } from '#kernel/ports/mongo-database';
import type { CollectionSchema, ColumnSchema, RelationSchema } from '../../query/collection-schema.ts';

/** The array whose elements a virtual collection shows as records. */
export interface ElementSource {
  /** Of the array in the document. */
  readonly path: string;
  /** Whether elements have an `_id` of their own. Without it they are known by their positions, which shift. */
  readonly hasIds: boolean;
  /** Whether elements are single values, shown in the column `content`. */
  readonly isSingle: boolean;
}

/** Where the records of a collection are in the database. */
export interface DocumentSource {
  /** The name of the collection as the database has it. */
  readonly collection: string;
  /** What makes records of its documents; empty where each document is a record. */
  readonly prefix: MongoPipeline;
  /** By column, its place in what `prefix` makes. */
  readonly paths: ReadonlyMap<string, string>;
  readonly element?: ElementSource;
  /** The `_id` of the documents, where elements are shown. */
  readonly rootKey?: Pick<ColumnSchema, 'type' | 'nativeType' | 'isExact'>;
}

export interface MongoCollection {
  readonly schema: CollectionSchema;
  readonly source: DocumentSource;
}

/** The collections of a data source by name. */
export type MongoModel = ReadonlyMap<string, MongoCollection>;

export function collectionNamed(model: MongoModel, name: string): MongoCollection {
  const collection = model.get(name);
  if (!collection) throw unplanned(name);
  return collection;
}

export function relationNamed({ schema }: MongoCollection, name: string): RelationSchema {
  const relation = schema.fields.get(name);
  if (!relation || relation.kind === 'column') throw unplanned(name);
  return relation;
}

export function columnNamed({ schema }: MongoCollection, name: string): ColumnSchema {
  const column = schema.fields.get(name);
  if (column?.kind !== 'column') throw unplanned(name);
  return column;
}

/** The place of a column in the documents of its collection. */
export function pathOfColumn({ source }: MongoCollection, column: string): string {
  const path = source.paths.get(column);
  if (path === undefined) throw unplanned(column);
  return path;
}

/** Every column that is kept in documents, with its place. */
export function storedColumns(collection: MongoCollection): readonly (readonly [ColumnSchema, string])[] {
  return [...collection.source.paths].flatMap(([name, path]) => {
    const column = collection.schema.fields.get(name);
    return column?.kind === 'column' ? [[column, path] as const] : [];
  });
}

/** The planner checks every path before it asks a data source. */
export function unplanned(path: string): CloudError {
  return cloudError('INTERNAL_BUG', `The data source was asked for "${path}", which it does not have.`);
}
