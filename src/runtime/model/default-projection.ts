import { type CompiledCollection, isValueField, type ModelView } from './compiled-model.ts';

/** Every field of the collection that holds a value. */
function ownFields(collection: CompiledCollection): string[] {
  return [...collection.fields.values()].flatMap((field) => (isValueField(field) ? [field.name] : []));
}

/** The to-one relations of a collection, and where they lead. */
export function toOneRelations(
  model: ModelView,
  collection: CompiledCollection,
): { readonly name: string; readonly foreign: CompiledCollection }[] {
  return [...collection.fields.values()].flatMap((field) => {
    if (field.kind !== 'ManyToOne' && field.kind !== 'OneToOne') return [];
    const foreign = model.collections.get(field.foreignCollection);
    return foreign ? [{ name: field.name, foreign }] : [];
  });
}

/** The projection of a query that names none: every field, and every field of each to-one relation that `isReadable`. */
export function defaultProjection(
  model: ModelView,
  collection: CompiledCollection,
  isReadable: (collection: string) => boolean,
): string[] {
  const related = toOneRelations(model, collection)
    .filter(({ foreign }) => isReadable(foreign.name))
    .flatMap(({ name, foreign }) => ownFields(foreign).map((field) => `${name}:${field}`));
  return [...ownFields(collection), ...related];
}
