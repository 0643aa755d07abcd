/** One value in a document, by the keys that lead to it. */
export interface DocumentValue {
  readonly path: readonly string[];
  readonly value: unknown;
}

/**
 * The value of a patch for a document with only some changed parts. Missing objects on the way are made, and everything
 * else stays.
 */
export class DocumentChange {
  readonly values: readonly DocumentValue[];

  constructor(values: readonly DocumentValue[]) {
    this.values = values;
  }

  /** Both changes in one. */
  and(other: DocumentChange): DocumentChange {
    return new DocumentChange([...this.values, ...other.values]);
  }

  /** The document after the change. */
  appliedTo(document: unknown): unknown {
    return this.values.reduce<unknown>((current, { path, value }) => withValue(current, path, value), document);
  }
}

/** The values of a change as a tree: by key, what is below it, or the position of its value. */
export type DocumentTree = ReadonlyMap<string, DocumentTree | number>;

export function documentTree(change: DocumentChange): DocumentTree {
  const root = new Map<string, DocumentTree | number>();
  for (const [index, { path }] of change.values.entries()) {
    let node = root;
    for (const key of path.slice(0, -1)) {
      const known = node.get(key);
      const next = known instanceof Map ? known : new Map<string, DocumentTree | number>();
      node.set(key, next);
      node = next;
    }
    node.set(path.at(-1) ?? '', index);
  }
  return root;
}

function withValue(document: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  const holder: object = typeof document === 'object' && document !== null && !Array.isArray(document) ? document : {};
  const inner = Object.hasOwn(holder, key) ? (holder as Record<string, unknown>)[key] : undefined;
  return Object.fromEntries([
    ...Object.entries(holder).filter(([name]) => name !== key),
    [key, withValue(inner, rest, value)],
  ]);
}
