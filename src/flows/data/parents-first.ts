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
