import type { CompiledCollection, ModelView } from '../plan/compiled-model.ts';
import { PathUnknown } from './route.ts';

/** The collection a path names: the exact one, else the only one that differs in case. Throws `PathUnknown`. */
export function collectionAt(model: ModelView, name: string | undefined): CompiledCollection {
  const exact = name === undefined ? undefined : model.collections.get(name);
  if (exact) return exact;
  const wanted = name?.toLowerCase();
  const [found, another] = [...model.collections.values()].filter(({ name: known }) => known.toLowerCase() === wanted);
  if (!found || another) throw new PathUnknown();
  return found;
}
