import type { CompiledCollection, ModelView } from '../compiled-model.ts';

/** Where a path leaves what its data source can join over: at the relation `relation` of `collection`, behind `prefix`. */
export interface PathBreak {
  /** Relations before it, joined by `:`; empty for none. */
  readonly prefix: string;
  readonly collection: CompiledCollection;
  readonly relation: string;
  /** The path seen from the other end of the relation. */
  readonly rest: string;
}

/** The first relation of a checked path that has to be followed in the agent; `undefined` when the database joins over all. */
export function pathBreak(model: ModelView, root: CompiledCollection, path: string): PathBreak | undefined {
  const steps = path.split(':');
  let collection = root;
  for (const [index, relation] of steps.slice(0, -1).entries()) {
    if (!collection.native.fields.has(relation)) {
      const prefix = steps.slice(0, index).join(':');
      return { prefix, collection, relation, rest: steps.slice(index + 1).join(':') };
    }
    const field = collection.fields.get(relation);
    const foreign = field && 'foreignCollection' in field ? model.collections.get(field.foreignCollection) : undefined;
    if (!foreign) return undefined;
    collection = foreign;
  }
  return undefined;
}
