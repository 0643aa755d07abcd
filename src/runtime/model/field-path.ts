import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import type { ColumnSchema, RelationSchema } from '../query/collection-schema.ts';
import type { ColumnLookup } from '../query/parse-condition-tree.ts';
import {
  type CompiledCollection,
  type CompiledField,
  type ComputedField,
  columnOf,
  isValueField,
  type ModelView,
  type ValueField,
} from './compiled-model.ts';

/** The end of a path `field` or `relation:field`. */
export interface ResolvedPath {
  /** The collection the field belongs to. */
  readonly collection: CompiledCollection;
  readonly field: ValueField;
  /** The relations gone through, joined by `:`; empty for none. */
  readonly relationPath: string;
}

/** The relations that a path may go through: to-one relations everywhere, all relations in conditions. */
export type PathRelations = 'to-one' | 'all';

/**
 * Follow a path through relations.
 *
 * @throws `REQUEST_FIELD_UNKNOWN` for a name that is not there, `REQUEST_INVALID` for a path that ends on a relation or
 * goes through one that it may not.
 */
export function resolvePath(
  model: ModelView,
  root: CompiledCollection,
  path: string,
  relations: PathRelations = 'to-one',
): ResolvedPath {
  let collection = root;
  let start = 0;
  for (let end = path.indexOf(':'); end !== -1; end = path.indexOf(':', start)) {
    collection = followRelation(model, { root, collection }, path.slice(start, end), relations);
    start = end + 1;
  }
  const field = fieldNamed({ root, collection }, path.slice(start));
  if (!isValueField(field)) {
    throw invalidPath(`"${path}" is a relation of "${collection.name}", not a field; name one of its fields.`);
  }
  return { collection, field, relationPath: path.slice(0, Math.max(0, start - 1)) };
}

/**
 * The same with imports on the way replaced by what they stand for: it ends on a column or a computed field.
 */
export function resolveSource(model: ModelView, root: CompiledCollection, path: string): SourcePath {
  const { collection, field, relationPath } = resolvePath(model, root, path);
  if (field.kind !== 'imported') return { collection, field, relationPath, path };
  return resolveSource(model, root, joinPath(relationPath, field.path));
}

export interface SourcePath extends ResolvedPath {
  readonly field: ColumnSchema | ComputedField;
  /** The path that was followed in the end. */
  readonly path: string;
}

/** `relation` and `field` → `relation:field`. */
export function joinPath(relationPath: string, field: string): string {
  return relationPath === '' ? field : `${relationPath}:${field}`;
}

/** Looks columns up for conditions; a computed field appears as the column a client sees. */
export function columnLookup(model: ModelView, root: CompiledCollection): ColumnLookup {
  return (path) => columnOf(resolvePath(model, root, path, 'all').field);
}

/** A collection on the way of a path, and the one where the path begins. */
interface Place {
  readonly root: CompiledCollection;
  readonly collection: CompiledCollection;
}

function followRelation(model: ModelView, place: Place, name: string, relations: PathRelations): CompiledCollection {
  const { collection } = place;
  const field = fieldNamed(place, name);
  if (isValueField(field)) {
    throw invalidPath(`"${name}" of "${collection.name}" is not a relation.`);
  }
  if (relations === 'to-one' && field.kind !== 'ManyToOne' && field.kind !== 'OneToOne') {
    throw invalidPath(`"${name}" of "${collection.name}" does not lead to one record.`);
  }
  const foreign = model.collections.get(field.foreignCollection);
  if (!foreign) throw invalidPath(`"${name}" of "${collection.name}" leads to a collection that is not served.`);
  return foreign;
}

function fieldNamed({ root, collection }: Place, name: string): CompiledField {
  const field = collection.fields.get(name);
  if (field) return field;
  throw unknownField(collection, name, collection === root);
}

/**
 * The collection has no field of that name.
 *
 * @param isVisible Whether the caller may see the collection. The error then lists its fields; a path can lead to others.
 */
export function unknownField(collection: CompiledCollection, name: string, isVisible = true): CloudError {
  const nearest = nearestName(name, collection.fields.keys());
  return cloudError(
    'REQUEST_FIELD_UNKNOWN',
    `The collection "${collection.name}" has no field "${name}".${didYouMean(nearest)}`,
    isVisible ? useField(collection, name) : `Use ${quotedOr(nearest, 'one of the fields of the schema')}.`,
    { details: { field: name } },
  );
}

const maxNamed = 20;

/** What to do about a name that no field of the collection has, for a caller who may see it. Lists what holds one value or record. */
export function useField({ fields }: CompiledCollection, name: string): string {
  const isMany = ({ kind }: CompiledField) => kind === 'OneToMany' || kind === 'ManyToMany';
  const names = [...fields].filter(([, field]) => !isMany(field)).map(([own]) => own);
  const listed = names.slice(0, maxNamed).join(', ') + (names.length > maxNamed ? ', …' : '');
  return `Use ${quotedOr(nearestName(name, fields.keys()), `one of its fields: ${listed}`)}.`;
}

function quotedOr(name: string | undefined, otherwise: string): string {
  return name === undefined ? otherwise : `"${name}"`;
}

function invalidPath(message: string): CloudError {
  return cloudError(
    'REQUEST_INVALID',
    message,
    'Name a field, or a path "relation:field"; only filters go through relations to many records.',
  );
}

/**
 * The point where a path leaves the relations that its data source can join: the relation `relation` of `collection`,
 * behind `prefix`.
 */
export interface PathBreak {
  /** Relations before it, joined by `:`; empty for none. */
  readonly prefix: string;
  readonly collection: CompiledCollection;
  readonly relation: string;
  /** The path seen from the other end of the relation. */
  readonly rest: string;
}

/** The first relation of a checked path that has to be followed in the agent; `undefined` when the database joins over all. */
export function pathBreak(model: ModelView, root: CompiledCollection, path: string): PathBreak | undefined {
  const steps = path.split(':');
  let collection = root;
  for (const [index, relation] of steps.slice(0, -1).entries()) {
    if (!collection.native.fields.has(relation)) {
      const prefix = steps.slice(0, index).join(':');
      return { prefix, collection, relation, rest: steps.slice(index + 1).join(':') };
    }
    const field = collection.fields.get(relation);
    const foreign = field && 'foreignCollection' in field ? model.collections.get(field.foreignCollection) : undefined;
    if (!foreign) return undefined;
    collection = foreign;
  }
  return undefined;
}

/** The first relation of a checked path that leads to many records, as a place to leave it at. */
export function toManyBreak(model: ModelView, root: CompiledCollection, path: string): PathBreak | undefined {
  const steps = path.split(':');
  let collection = root;
  for (const [index, relation] of steps.slice(0, -1).entries()) {
    const field = collection.fields.get(relation);
    if (field?.kind === 'OneToMany' || field?.kind === 'ManyToMany') {
      const prefix = steps.slice(0, index).join(':');
      return { prefix, collection, relation, rest: steps.slice(index + 1).join(':') };
    }
    const foreign = field && 'foreignCollection' in field ? model.collections.get(field.foreignCollection) : undefined;
    if (!foreign) return undefined;
    collection = foreign;
  }
  return undefined;
}

/** Whether the last relation of a checked path of relations leads to many records. */
export function isToManyAt(model: ModelView, root: CompiledCollection, relationPath: string): boolean {
  const found = toManyBreak(model, root, `${relationPath}:`);
  if (!found) return false;
  if (found.rest === '') return true;
  const field = found.collection.fields.get(found.relation);
  const foreign = field && 'foreignCollection' in field ? model.collections.get(field.foreignCollection) : undefined;
  return foreign !== undefined && isToManyAt(model, foreign, found.rest.slice(0, -1));
}

/** A record that a path leads to. */
export interface PathStep {
  /** The relations up to it, joined by `:`. */
  readonly path: string;
  readonly foreign: string;
  readonly relation: Omit<PathBreak, 'rest'>;
  /** The path ends on its key, or on what it is found by. */
  readonly isShownKey: boolean;
}

/** The collections that paths lead through, imports followed. */
export function collectionsBehind(model: ModelView, root: CompiledCollection, paths: Iterable<string>): Set<string> {
  return new Set([...paths].flatMap((path) => pathSteps(model, root, path).map(({ foreign }) => foreign)));
}

/** The records that a checked path leads to one after the other, imports followed. */
export function pathSteps(model: ModelView, root: CompiledCollection, path: string): readonly PathStep[] {
  const relations = path.split(':');
  const last = relations.pop() ?? '';
  const steps: PathStep[] = [];
  let collection = root;
  for (const [index, name] of relations.entries()) {
    const field = collection.fields.get(name);
    const relation = field && !isValueField(field) ? field : undefined;
    const foreign = relation && model.collections.get(relation.foreignCollection);
    if (!foreign) return steps;
    const isShownKey = index === relations.length - 1 && isKeyOf(relation, foreign, last);
    const prefix = relations.slice(0, index).join(':');
    const place = { prefix, collection, relation: name };
    steps.push({ path: joinPath(prefix, name), foreign: foreign.name, relation: place, isShownKey });
    collection = foreign;
  }
  const field = collection.fields.get(last);
  if (!field || !isValueField(field) || field.kind !== 'imported') return steps;
  return pathSteps(model, root, [...relations, field.path].join(':'));
}

/** Whether the record that leads to another has the value of this column itself. */
function isKeyOf(relation: RelationSchema, foreign: CompiledCollection, column: string): boolean {
  if (foreign.primaryKey.includes(column)) return true;
  return 'join' in relation && relation.join.some((pair) => pair.foreign === column);
}
