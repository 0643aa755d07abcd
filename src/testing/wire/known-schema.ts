import type { SchemaAction, SchemaCollection, SchemaDocument, SchemaField } from '#contracts/schema-document';
import { UnknownNameError } from '../errors/agent-test-errors.ts';

/** The names that the schema of the agent has. All throw `UnknownNameError`. */
export interface KnownSchema {
  collection(name: string): SchemaCollection;
  action(collection: SchemaCollection, name: string): SchemaAction;
  relation(collection: SchemaCollection, name: string): SchemaField;
  segment(collection: SchemaCollection, name: string): string;
}

export function createKnownSchema({ collections }: SchemaDocument): KnownSchema {
  return {
    collection: (name) => named('The agent', 'collection', collections, name),
    action: (collection, name) => named(titleOf(collection), 'action', collection.actions, name),
    relation: (collection, name) => {
      const relations = collection.fields.filter(({ relationship }) => relationship !== undefined);
      const known = relations.map((field) => ({ ...field, name: field.field }));
      return named(titleOf(collection), 'relation', known, name);
    },
    segment: (collection, name) => named(titleOf(collection), 'segment', collection.segments, name).name,
  };
}

/** The collection that a relation leads to; `undefined` where the schema does not say. */
export function targetOf({ reference }: SchemaField): string | undefined {
  return reference === null ? undefined : reference.slice(0, reference.lastIndexOf('.'));
}

function titleOf({ name }: SchemaCollection): string {
  return `The collection "${name}"`;
}

function named<Item extends { readonly name: string }>(
  owner: string,
  what: ConstructorParameters<typeof UnknownNameError>[1],
  items: readonly Item[],
  name: string,
): Item {
  const found = items.find((item) => item.name === name);
  if (found) return found;
  throw new UnknownNameError(
    owner,
    what,
    name,
    items.map((item) => item.name),
  );
}
