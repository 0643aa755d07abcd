import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { MongoDocument, MongoPipeline } from '#kernel/ports/mongo-database';
import type { CollectionSchema, ColumnSchema, RelationSchema } from '../../query/collection-schema.ts';
import { type ConditionTree, isBranch } from '../../query/condition-tree.ts';
import { encodeValue } from './document-values.ts';

/** The array whose elements a virtual collection shows as records. */
interface ElementSource {
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

/** The key of the record that shows an element of an array, in parts. */
interface ElementKey {
  /** The `_id` of the document, as text. */
  readonly root: string;
  /** The `_id` of the element, as text. */
  readonly element: string;
}

/** Takes `<document>.<path>.<element>` apart; `undefined` for a text that is not such a key. */
function parseElementKey(path: string, key: string): ElementKey | undefined {
  const sign = `.${path}.`;
  const at = key.lastIndexOf(sign);
  return at === -1 ? undefined : { root: key.slice(0, at), element: key.slice(at + sign.length) };
}

/**
 * A filter on the documents that hold the wanted elements, where the condition names elements or documents by their keys: so that not
 * every document is taken apart.
 */
export function rootFilter(source: DocumentSource, conditions: readonly ConditionTree[]): MongoDocument | undefined {
  for (const leaf of conditions) {
    if (isBranch(leaf) || (leaf.operator !== 'Equal' && leaf.operator !== 'In')) continue;
    const path = source.paths.get(leaf.field);
    const values = leaf.operator === 'In' && Array.isArray(leaf.value) ? leaf.value : [leaf.value];
    const texts = values.filter((value) => value !== null && value !== undefined).map(String);
    if (path === 'parentId') return { _id: { $in: texts.map((text) => rootIdOf(source, text)) } };
    if (path !== '_id') continue;
    const roots = texts.flatMap((text) => parseElementKey(source.element?.path ?? '', text)?.root ?? []);
    return { _id: { $in: roots.map((text) => rootIdOf(source, text)) } };
  }
  return undefined;
}

/** The `_id` of a document from its text. */
function rootIdOf({ rootKey }: DocumentSource, text: string): unknown {
  return rootKey ? encodeValue(rootKey, text) : text;
}

/** The key of an element, put together as the database does it in the `prefix` of its collection. */
export function elementKey(path: string, root: string, element: string): string {
  return `${root}.${path}.${element}`;
}
