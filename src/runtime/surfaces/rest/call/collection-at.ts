import type { CompiledCollection, ModelView } from '../../../model/compiled-model.ts';
import { PathUnknown } from './route.ts';

/** The collection a path names: the exact one, else the only one that differs in case. Throws `PathUnknown`. */
export function collectionAt(model: ModelView, name: string | undefined): CompiledCollection {
  const found = findCollection(model, name);
  if (!found) throw new PathUnknown();
  return found;
}

/** The same, or `undefined` where there is none. */
export function findCollection(model: ModelView, name: string | undefined): CompiledCollection | undefined {
  const exact = name === undefined ? undefined : model.collections.get(name);
  if (exact) return exact;
  const wanted = name?.toLowerCase();
  const [found, another] = [...model.collections.values()].filter(({ name: known }) => known.toLowerCase() === wanted);
  return another ? undefined : found;
}
