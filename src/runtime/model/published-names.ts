import { type ConditionTree, isBranch } from '../query/condition-tree.ts';

/** The tables that translate paths: fields by their published names, and the target of each relation. */
interface NamedCollection {
  readonly fields: ReadonlyMap<string, { readonly name: string; readonly foreignCollection?: string }>;
}

/** Translates what surfaces say into the names that customization code and data sources use. */
export interface PublishedNames {
  /** Whether no field is renamed, so that nothing needs a translation. */
  readonly isIdentity: boolean;
  originalPath(collection: string, path: string): string;
  /** The published name of a field. */
  publishedName(collection: string, field: string): string;
  originalTree(collection: string, tree: ConditionTree): ConditionTree;
}

/**
 * @param collections as they are published.
 * @param publications Beside other things: new names by the original ones.
 */
export function createPublishedNames(
  collections: ReadonlyMap<string, NamedCollection>,
  publications: ReadonlyMap<string, { readonly renames: ReadonlyMap<string, string> }>,
): PublishedNames {
  /** Original names by published ones, where they differ. */
  const originals = new Map(
    [...publications].flatMap(([collection, { renames }]) => {
      const differing = [...renames].filter(([original, published]) => original !== published);
      if (differing.length === 0 || !collections.has(collection)) return [];
      return [[collection, new Map(differing.map(([original, published]) => [published, original]))] as const];
    }),
  );
  const isIdentity = originals.size === 0;

  function originalPath(collection: string, path: string): string {
    if (isIdentity) return path;
    const split = path.indexOf(':');
    const first = split === -1 ? path : path.slice(0, split);
    const original = originals.get(collection)?.get(first) ?? first;
    if (split === -1) return original;
    const foreign = collections.get(collection)?.fields.get(first)?.foreignCollection ?? '';
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
    const renamed = [...(originals.get(collection) ?? [])].find(([, original]) => original === field);
    return renamed?.[0] ?? field;
  }

  return { isIdentity, originalPath, originalTree, publishedName };
}
