import type { DataSource } from '#runtime/data-sources/interface/data-source';
import type { CollectionSchema, ColumnSchema } from '#runtime/query/collection-schema';
import type { Expression } from '#runtime/query/expression';
import { expressionColumn } from '#runtime/query/expression-column';

/** Expressions by collection, then by name; later ones may use earlier ones. */
export type Expressions = Readonly<Record<string, Readonly<Record<string, Expression>>>>;

/** The collections of a data source with columns of expressions. */
export function extendedCollections(
  collections: readonly CollectionSchema[],
  operatorsOf: DataSource['operatorsOf'],
  added: Expressions,
): CollectionSchema[] {
  const extended = new Map(
    collections.map((collection) => [collection.name, { ...collection, fields: new Map(collection.fields) }]),
  );
  const columnAt = (collection: string, path: string): ColumnSchema => {
    const [step = '', ...rest] = path.split(':');
    const field = extended.get(collection)?.fields.get(step);
    if (!field) throw new Error(`There is no ${path} in ${collection}.`);
    return field.kind === 'column' ? field : columnAt(field.foreignCollection, rest.join(':'));
  };
  for (const [name, expressions] of Object.entries(added)) {
    for (const [field, expression] of Object.entries(expressions)) {
      const column = expressionColumn(
        field,
        expression,
        (path) => columnAt(name, path),
        (type) => operatorsOf?.(type) ?? new Set(),
      );
      extended.get(name)?.fields.set(field, column);
    }
  }
  return [...extended.values()];
}

/** A data source, extended by expressions; closing it closes the original. */
export function extendedSource(source: DataSource, added: Expressions): DataSource {
  const collections = extendedCollections(source.collections, source.operatorsOf, added);
  const store = source.extendedBy?.(collections);
  if (!store) throw new Error('The data source cannot be extended.');
  return { ...source, ...store, collections };
}
