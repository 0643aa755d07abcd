import type { CompiledCollection, ModelView } from './compiled-model.ts';

/**
 * The point where a path leaves the relations that its data source can join: the relation `relation` of `collection`,
 * behind `prefix`.
 */
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

/** The first relation of a checked path that leads to many records, as a place to leave it at. */
export function toManyBreak(model: ModelView, root: CompiledCollection, path: string): PathBreak | undefined {
  const steps = path.split(':');
  let collection = root;
  for (const [index, relation] of steps.slice(0, -1).entries()) {
    const field = collection.fields.get(relation);
    if (field?.kind === 'OneToMany' || field?.kind === 'ManyToMany') {
      const prefix = steps.slice(0, index).join(':');
      return { prefix, collection, relation, rest: steps.slice(index + 1).join(':') };
    }
    const foreign = field && 'foreignCollection' in field ? model.collections.get(field.foreignCollection) : undefined;
    if (!foreign) return undefined;
    collection = foreign;
  }
  return undefined;
}

/** Whether the last relation of a checked path of relations leads to many records. */
export function isToManyAt(model: ModelView, root: CompiledCollection, relationPath: string): boolean {
  const found = toManyBreak(model, root, `${relationPath}:`);
  if (!found) return false;
  if (found.rest === '') return true;
  const field = found.collection.fields.get(found.relation);
  const foreign = field && 'foreignCollection' in field ? model.collections.get(field.foreignCollection) : undefined;
  return foreign !== undefined && isToManyAt(model, foreign, found.rest.slice(0, -1));
}
