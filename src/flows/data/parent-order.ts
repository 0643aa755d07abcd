import type { RelationSchema } from '#runtime/index';
import type { StoredCollection } from './development-data.ts';

/** A relation whose key is in the collection. */
export type ParentRelation = Extract<RelationSchema, { kind: 'ManyToOne' | 'OneToOne' }>;

export function parentRelations({ schema }: StoredCollection): readonly ParentRelation[] {
  return [...schema.fields.values()].filter((field): field is ParentRelation => field.kind === 'ManyToOne');
}

/** Collections behind those that their keys lead to. Among collections that lead to each other, the order stays. */
export function parentsFirst(collections: readonly StoredCollection[]): readonly StoredCollection[] {
  const byName = new Map(collections.map((collection) => [collection.schema.name, collection]));
  const ordered = new Set<StoredCollection>();
  const visited = new Set<StoredCollection>();
  const visit = (collection: StoredCollection) => {
    if (visited.has(collection)) return;
    visited.add(collection);
    for (const { foreignCollection } of parentRelations(collection)) {
      const parent = byName.get(foreignCollection);
      if (parent && parent.source === collection.source) visit(parent);
    }
    ordered.add(collection);
  };
  for (const collection of collections) visit(collection);
  return [...ordered];
}

/** Keys of collections that come before or are what they lead to, because the keys of a database lead round in a circle. */
export function keysAhead(ordered: readonly StoredCollection[]): readonly KeyAhead[] {
  const places = new Map(ordered.map(({ schema }, index) => [schema.name, index]));
  return ordered.flatMap((collection, index) =>
    parentRelations(collection)
      .filter(({ foreignCollection }) => (places.get(foreignCollection) ?? -1) >= index)
      .map((relation) => ({ collection, optional: optionalColumns(collection, relation) })),
  );
}

export interface KeyAhead {
  readonly collection: StoredCollection;
  /** Columns of the key that may be null, so that it leads nowhere. */
  readonly optional: readonly string[];
}

/** The columns of a key that may be null. */
export function optionalColumns({ schema }: StoredCollection, { join }: ParentRelation): readonly string[] {
  return join
    .map(({ local }) => local)
    .filter((name) => {
      const column = schema.fields.get(name);
      return column?.kind === 'column' && column.isNullable;
    });
}
