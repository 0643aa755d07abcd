import type { CompiledCollection, CompiledModel } from '../model/compiled-model.ts';
import { digestOf, hasSameParts, relationsOf, textOf } from './model-digest.ts';
import { schemaCollection } from './schema-document.ts';

/**
 * Another text whenever the schema document of a model has anything else in it, beside the versions of programs. What a table adds to
 * it stays from one model to the next, unless somebody customized it. So a save costs a look at each of ten thousand tables and no more.
 */
export function schemaHash(model: CompiledModel, prefix: string, webhookOrigins: readonly string[]): string {
  const collections = [...model.collections.values()].map((collection) => hashInModel(model, collection, prefix));
  return digestOf(textOf([collections.sort(), webhookOrigins, [...model.masks.keys()].sort()]));
}

/** What a collection shows follows from its own parts, and from the fields of those that its relations lead to. */
interface KnownHash {
  readonly collection: CompiledCollection;
  readonly prefix: string;
  readonly related: readonly (CompiledCollection['fields'] | undefined)[];
  readonly hash: string;
}

/** The last hash by the fields of a collection, which tables that nobody customized share across models. */
const knownHashes = new WeakMap<CompiledCollection['fields'], KnownHash>();

function hashInModel(model: CompiledModel, collection: CompiledCollection, prefix: string): string {
  const related = relationsOf(collection.fields).map((relation) => fieldsOf(model, relation.foreignCollection));
  const known = knownHashes.get(collection.fields);
  if (known && isOf(known, collection, prefix, related)) return known.hash;
  const hash = digestOf(textOf(schemaCollection(model, collection, prefix)));
  // The form of an action may show keys of any collection.
  if (collection.actions.size === 0) knownHashes.set(collection.fields, { collection, prefix, related, hash });
  return hash;
}

function isOf(
  known: KnownHash,
  collection: CompiledCollection,
  prefix: string,
  related: KnownHash['related'],
): boolean {
  return (
    known.prefix === prefix &&
    hasSameParts(known.collection, collection) &&
    known.related.every((fields, index) => fields === related[index])
  );
}

function fieldsOf(model: CompiledModel, collection: string): CompiledCollection['fields'] | undefined {
  return model.collections.get(collection)?.fields;
}
