import { CloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import type { OverrideVerb } from '../customizer/declaration.ts';
import type { CompiledCollection, ModelView } from './compiled-model.ts';

/** The collection of that name; throws `REQUEST_NOT_FOUND`. */
export function collectionNamed(model: ModelView, name: string): CompiledCollection {
  const collection = model.collections.get(name);
  if (collection) return collection;
  const nearest = nearestName(name, model.collections.keys());
  throw new CloudError({
    code: 'REQUEST_NOT_FOUND',
    message: `There is no collection "${name}".${didYouMean(nearest)}`,
    nextSteps: [nearest ? `Use "${nearest}".` : 'Use one of the collections of the schema.'],
  });
}

/** The collection of that name, else the only one that differs from it in case. */
export function findCollection(model: ModelView, name: string | undefined): CompiledCollection | undefined {
  const exact = name === undefined ? undefined : model.collections.get(name);
  if (exact) return exact;
  const wanted = name?.toLowerCase();
  const [found, another] = [...model.collections.values()].filter(({ name: known }) => known.toLowerCase() === wanted);
  return another ? undefined : found;
}

/** The collection of that name; throws `REQUEST_UNPROCESSABLE` when nothing can be written to it. */
export function writableCollection(model: ModelView, name: string, verb: OverrideVerb): CompiledCollection {
  const collection = collectionNamed(model, name);
  if (!collection.isReadOnly || collection.overrides[verb]) return collection;
  throw new CloudError({
    code: 'REQUEST_UNPROCESSABLE',
    message: `The collection "${name}" is read-only: it is a view or has no primary key.`,
    nextSteps: ['Write to the table behind it, or give it a primary key.'],
  });
}
