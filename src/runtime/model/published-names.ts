import type { RelationSchema } from '../query/collection-schema.ts';
import { type ConditionTree, isBranch } from '../query/condition-tree.ts';

/** What fields are called outside, and where relations lead: enough to translate paths. */
export interface NamedCollection {
  /** Original names by published ones, where they differ. */
  readonly originals: ReadonlyMap<string, string>;
  /** Relations by published name. */
  readonly relations: ReadonlyMap<string, Pick<RelationSchema, 'foreignCollection'>>;
}

/** Translates what surfaces say into the names that customization code and data sources use. */
export interface PublishedNames {
  /** Nothing is renamed, so that there is nothing to translate. */
  readonly isIdentity: boolean;
  originalPath(collection: string, path: string): string;
  /** What a field is called outside. */
  publishedName(collection: string, field: string): string;
  originalTree(collection: string, tree: ConditionTree): ConditionTree;
}

export function createPublishedNames(collections: ReadonlyMap<string, NamedCollection>): PublishedNames {
  const isIdentity = [...collections.values()].every(({ originals }) => originals.size === 0);

  function originalPath(collection: string, path: string): string {
    if (isIdentity) return path;
    const names = collections.get(collection);
    const split = path.indexOf(':');
    const first = split === -1 ? path : path.slice(0, split);
    const original = names?.originals.get(first) ?? first;
    if (split === -1) return original;
    const foreign = names?.relations.get(first)?.foreignCollection ?? '';
    return `${original}:${originalPath(foreign, path.slice(split + 1))}`;
  }

  function originalTree(collection: string, tree: ConditionTree): ConditionTree {
    if (isIdentity) return tree;
    if (isBranch(tree)) {
      const conditions = tree.conditions.map((condition) => originalTree(collection, condition));
      return { aggregator: tree.aggregator, conditions };
    }
    return { ...tree, field: originalPath(collection, tree.field) };
  }

  function publishedName(collection: string, field: string): string {
    const renamed = [...(collections.get(collection)?.originals ?? [])].find(([, original]) => original === field);
    return renamed?.[0] ?? field;
  }

  return { isIdentity, originalPath, originalTree, publishedName };
}
