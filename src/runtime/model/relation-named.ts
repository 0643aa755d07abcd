import { cloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import type { RelationSchema } from '../query/collection-schema.ts';
import { type CompiledCollection, collectionNamed, isValueField, type ModelView } from './compiled-model.ts';

/** A relation of a collection, of one of the `kinds`; throws `REQUEST_NOT_FOUND`. */
export function relationNamed(
  model: ModelView,
  owner: string,
  name: string,
  kinds: readonly RelationSchema['kind'][],
): { readonly collection: CompiledCollection; readonly foreign: CompiledCollection; readonly field: RelationSchema } {
  const collection = collectionNamed(model, owner);
  const field = collection.fields.get(name);
  if (field && !isValueField(field) && kinds.includes(field.kind)) {
    return { collection, field, foreign: collectionNamed(model, field.foreignCollection) };
  }
  const known = [...collection.fields.values()].flatMap((candidate) =>
    !isValueField(candidate) && kinds.includes(candidate.kind) ? [candidate.name] : [],
  );
  const nearest = nearestName(name, known);
  throw cloudError(
    'REQUEST_NOT_FOUND',
    `The collection "${owner}" has no such relation "${name}".${didYouMean(nearest)}`,
    nearest ? `Use "${nearest}".` : 'Use one of the relations of the schema.',
  );
}
