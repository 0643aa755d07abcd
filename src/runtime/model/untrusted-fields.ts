import { expressionFields } from '../query/expression.ts';
import { isListType } from '../query/operators.ts';
import {
  type CompiledCollection,
  type CompiledModel,
  columnOf,
  isValueField,
  type ModelView,
  type ValueField,
} from './compiled-model.ts';
import { looksPublic } from './public-form.ts';

/** Why a field counts as text that people outside can write. */
export type UntrustedBecause = 'code says it' | 'it looks like a public form' | 'it is made of such text';

/**
 * Which fields hold text that people outside can write: what code says, what looks like a public form, and what is made of either. Names are
 * the original ones, because fields are made of fields that are not published.
 */
export class UntrustedFields {
  readonly #original: ModelView;
  readonly #known = new Map<CompiledCollection, Map<string, UntrustedBecause | undefined>>();

  constructor(original: ModelView) {
    this.#original = original;
  }

  /** `undefined` for a field that is trusted. */
  of(collection: CompiledCollection, name: string): UntrustedBecause | undefined {
    const known = this.#known.get(collection) ?? new Map<string, UntrustedBecause | undefined>();
    this.#known.set(collection, known);
    if (!known.has(name)) known.set(name, this.#find(collection, name));
    return known.get(name);
  }

  /** Of the field at the end of a path. One that leads nowhere is refused elsewhere. */
  atPath(root: CompiledCollection, path: string): UntrustedBecause | undefined {
    const end = endOfPath(this.#original, root, path);
    return end && this.of(end.collection, end.name);
  }

  #find(collection: CompiledCollection, name: string): UntrustedBecause | undefined {
    const field = collection.fields.get(name);
    if (!field || !isValueField(field)) return undefined;
    const said = collection.trust.get(name);
    if (said) return said.isTrusted ? undefined : 'code says it';
    if (looksPublic(collection, field)) return 'it looks like a public form';
    const isMadeOfSuch =
      mayHoldText(field) && sourcesOf(collection, field).some((path) => this.atPath(collection, path) !== undefined);
    return isMadeOfSuch ? 'it is made of such text' : undefined;
  }
}

/** A number, a date or one of some values tells nobody what to do. */
function mayHoldText(field: ValueField): boolean {
  const { type, enumValues } = columnOf(field);
  const item: unknown = isListType(type) ? type[0] : type;
  return (item === 'String' && !enumValues) || item === 'Json' || item === 'Binary' || typeof item === 'object';
}

/** Paths of the fields that a field is made of. */
function sourcesOf(collection: CompiledCollection, field: ValueField): readonly string[] {
  if (field.kind === 'imported') return [field.path];
  const leaf = collection.documentLeaves.get(field.name);
  if (leaf) return [leaf.column];
  if (field.kind === 'computed') return field.dependencies;
  return field.expression ? expressionFields(field.expression) : [];
}

/** A field, and the collection that it belongs to. */
interface PathEnd {
  readonly collection: CompiledCollection;
  readonly name: string;
}

function endOfPath(view: ModelView, root: CompiledCollection, path: string): PathEnd | undefined {
  const steps = path.split(':');
  const name = steps.pop() ?? '';
  let collection: CompiledCollection | undefined = root;
  for (const step of steps) {
    const relation = collection?.fields.get(step);
    if (!relation || isValueField(relation)) return undefined;
    collection = view.collections.get(relation.foreignCollection);
  }
  return collection && { collection, name };
}

const byModel = new WeakMap<ModelView, UntrustedFields>();

/** Those of a model; of a role's model too, which has the same original fields. */
export function untrustedFieldsOf({ original }: Pick<CompiledModel, 'original'>): UntrustedFields {
  const known = byModel.get(original) ?? new UntrustedFields(original);
  byModel.set(original, known);
  return known;
}

/** Whether a published field of a published collection holds such text. */
export function isUntrusted(model: CompiledModel, { name: collection }: CompiledCollection, field: string): boolean {
  const stored = model.original.collections.get(collection);
  return (
    stored !== undefined &&
    untrustedFieldsOf(model).of(stored, model.names.originalPath(collection, field)) !== undefined
  );
}

/** The published field at the end of a published path, if it holds such text. */
export function untrustedEnd(model: CompiledModel, root: CompiledCollection, path: string): PathEnd | undefined {
  const end = endOfPath(model, root, path);
  return end && isUntrusted(model, end.collection, end.name) ? end : undefined;
}

/** The fields that count only by their looks, as `collection.field`. Code can say it for sure. */
export function guessedFields(model: CompiledModel): readonly string[] {
  const fields = untrustedFieldsOf(model);
  return [...model.original.collections.values()].flatMap((collection) =>
    [...collection.fields.keys()]
      .filter((name) => fields.of(collection, name) === 'it looks like a public form')
      .map((name) => `${collection.name}.${name}`),
  );
}

/** Fields that a warning names. */
const maxNamed = 20;

/** Nobody is to find out by a question of their assistant what the agent has guessed. */
export function guessWarnings(model: CompiledModel): readonly string[] {
  const fields = guessedFields(model);
  if (fields.length === 0) return [];
  const more = fields.length > maxNamed ? ` and ${fields.length - maxNamed} more` : '';
  return [
    `People outside can write these texts, as their names look: ${fields.slice(0, maxNamed).join(', ')}${more}. An assistant that reads them asks its person before it writes. Say it in code: markFieldUntrusted or trustFieldBecause.`,
  ];
}
