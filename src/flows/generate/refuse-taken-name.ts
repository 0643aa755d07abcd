import type { SchemaCollection } from '#contracts/schema-document';
import { cloudError } from '#kernel/errors/cloud-error';
import type { GeneratedNames } from './generated-names.ts';

/** The kinds of code that give a collection something with a name. */
type NamedKind = 'action' | 'field' | 'segment';

interface Wanted {
  readonly names: GeneratedNames;
  readonly collection: SchemaCollection;
}

/** Code for a name that the collection has already would not load. @throws `USAGE_INVALID`. */
export function refuseTakenName(kind: string, wanted: Wanted): void {
  if (!isNamedKind(kind)) return;
  const { name, taken } = namesOf[kind](wanted);
  if (!taken.includes(name)) return;
  throw cloudError(
    'USAGE_INVALID',
    `"${wanted.collection.name}" has ${kind === 'action' ? 'an' : 'a'} ${kind} "${name}" already, so nothing was written.`,
    'Choose another name.',
  );
}

const namesOf: Record<NamedKind, (wanted: Wanted) => { name: string; taken: readonly string[] }> = {
  action: ({ names, collection }) => ({ name: names.title, taken: collection.actions.map(({ name }) => name) }),
  field: ({ names, collection }) => ({ name: names.camel, taken: collection.fields.map(({ field }) => field) }),
  segment: ({ names, collection }) => ({ name: names.title, taken: collection.segments.map(({ name }) => name) }),
};

function isNamedKind(kind: string): kind is NamedKind {
  return kind in namesOf;
}
