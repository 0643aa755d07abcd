import { hash } from 'node:crypto';
import type { VisibleField } from '#contracts/visible-schema';
import {
  type CompiledCollection,
  type CompiledModel,
  collectionNamed,
  columnOf,
  isValueField,
  type ValueField,
} from '../model/compiled-model.ts';
import type { RelationSchema } from '../query/collection-schema.ts';
import { schemaAction } from './schema-document.ts';
import { changedBy, collectionByItself, wholeField } from './whole-collection.ts';

/**
 * Another text whenever anything else is to be seen of a model, and the same one wherever the same code meets the same tables. What
 * collections show of one another follows from what each of them is by itself, so that has a digest for each. What a table says keeps
 * its digest from one model to the next, and so does a table that nobody customized.
 */
export function modelDigest(model: CompiledModel, prefix: string): string {
  const collections = [...model.collections.values()];
  return digestOf(
    textOf([
      collections.map(digestByItself),
      collections.flatMap((collection) => linksThrough(model, collection)),
      collections.flatMap(({ name, actions }) =>
        [...actions.values()].map((action) => schemaAction(model, name, action, prefix)),
      ),
      [...model.charts.keys()],
      model.dashboards,
    ]),
  );
}

export function digestOf(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 22);
}

/** The last digest of each set of fields, which tables that nobody customized share across models. */
const lastDigests = new WeakMap<
  CompiledCollection['fields'],
  { readonly collection: CompiledCollection; readonly digest: string }
>();

function digestByItself(collection: CompiledCollection): string {
  const last = lastDigests.get(collection.fields);
  if (last && hasSameParts(last.collection, collection)) return last.digest;
  const digest = digestOf(textOf(factsOf(collection)));
  lastDigests.set(collection.fields, { collection, digest });
  return digest;
}

/** Whatever of two collections is not the same object may differ in anything. */
export function hasSameParts(one: CompiledCollection, other: CompiledCollection): boolean {
  for (const part of Object.keys(one) as (keyof CompiledCollection)[]) if (one[part] !== other[part]) return false;
  return true;
}

/** What is to be seen of a collection by itself, and what others show of it. */
function factsOf(collection: CompiledCollection): readonly unknown[] {
  const { fields, isReadOnly, overrides, limits } = collection;
  return [
    collectionByItself(collection),
    tableDigest(collection),
    valuesOf(fields).map((field) => (isAsInTable(collection, field) ? field.name : factsOfField(collection, field))),
    relationsOf(fields),
    isReadOnly,
    overrides.update !== undefined,
    [...limits].map(([field, { isWritable, writtenBy }]) => [field, isWritable, writtenBy]),
  ];
}

/** Whether nothing is said of a column but what its table says. How bytes are shown depends on the relations as well. */
function isAsInTable({ native, ...declared }: CompiledCollection, field: ValueField): boolean {
  const { limits, validations, tones, binaryModes } = declared;
  const isSpokenOf = [limits, validations, tones, binaryModes].some((parts) => parts.has(field.name));
  return native.fields.get(field.name) === field && !isSpokenOf && columnOf(field).type !== 'Binary';
}

/** By the fields of a table, which stay as they are as long as its database is open. */
const tableDigests = new WeakMap<CompiledCollection['fields'], string>();

function tableDigest(collection: CompiledCollection): string {
  const { fields } = collection.native;
  const known = tableDigests.get(fields);
  if (known !== undefined) return known;
  const none = new Map<string, never>();
  const table = { ...collection, fields, limits: none, validations: none, tones: none, binaryModes: none };
  const digest = digestOf(textOf(valuesOf(fields).map((field) => factsOfField(table, field))));
  tableDigests.set(fields, digest);
  return digest;
}

function factsOfField(collection: CompiledCollection, field: ValueField): object {
  const seen = wholeField(collection, field);
  return { ...seen, operators: digestOfOperators(seen.operators) };
}

function valuesOf(fields: CompiledCollection['fields']): readonly ValueField[] {
  return [...fields.values()].filter(isValueField);
}

/** Lists of operators are long, and columns share them. */
function digestOfOperators(operators: VisibleField['operators']): string {
  const digest = operatorDigests.get(operators) ?? digestOf(textOf(operators));
  operatorDigests.set(operators, digest);
  return digest;
}

const operatorDigests = new WeakMap<VisibleField['operators'], string>();

/** The links that are rows of a third collection: whether they may be written depends on that one. */
function linksThrough(model: CompiledModel, collection: CompiledCollection): readonly (string | undefined)[] {
  return relationsOf(collection.fields).flatMap((relation) => {
    if (relation.kind !== 'ManyToMany' || !model.collections.has(relation.foreignCollection)) return [];
    return [changedBy(model, collection, collectionNamed(model, relation.foreignCollection), relation)];
  });
}

export function relationsOf(fields: CompiledCollection['fields']): readonly RelationSchema[] {
  return [...fields.values()].flatMap((field) => (isValueField(field) ? [] : [field]));
}

/** Code may give any value as a default, and JSON knows no bigint. Few models hold one, and a look at every value takes its time. */
export function textOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner));
  }
}
