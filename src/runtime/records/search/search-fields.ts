import {
  type CompiledCollection,
  columnOf,
  isValueField,
  type ModelView,
  type ValueField,
} from '../../model/compiled-model.ts';
import { joinPath, resolvePath } from '../../model/field-path.ts';
import { completeOperators } from '../../query/operator-equivalence.ts';
import type { Operator } from '../../query/operators.ts';
import type { SearchAudience } from './search-audience.ts';

/** A field that terms are looked for in. */
export interface FieldInSearch {
  /** In original names. */
  readonly path: string;
  readonly field: ValueField;
  /** The operators that a search may use on it. */
  readonly operators: ReadonlySet<Operator>;
  /** The collection where a path through relations ends; `undefined` for a field of the collection itself. */
  readonly foreign: string | undefined;
}

/** The fields that a term without a name is looked for in: those that can be asked without reading every record. */
export function defaultFields(
  model: ModelView,
  collection: CompiledCollection,
  audience: Pick<SearchAudience, 'fieldNames'>,
  { isExtended, readable }: { readonly isExtended: boolean; readonly readable: ReadonlySet<string> },
): FieldInSearch[] {
  const shown = [...new Set(audience.fieldNames(collection.name).values())];
  return shown.flatMap((name) => {
    const field = collection.fields.get(name);
    if (!field) return [];
    if (isValueField(field)) return cheapField(model, collection, field, name, undefined);
    if (!isExtended || (field.kind !== 'ManyToOne' && field.kind !== 'OneToOne')) return [];
    const foreign = model.collections.get(field.foreignCollection);
    if (!foreign || !readable.has(foreign.name)) return [];
    return [...new Set(audience.fieldNames(foreign.name).values())].flatMap((column) => {
      const end = foreign.fields.get(column);
      return end && isValueField(end) ? cheapField(model, foreign, end, `${name}:${column}`, foreign.name) : [];
    });
  });
}

/**
 * A field that was named, whatever asking for it costs.
 *
 * @throws `REQUEST_FIELD_UNKNOWN` or `REQUEST_INVALID` for a path that does not lead to a field.
 */
export function namedField(model: ModelView, root: CompiledCollection, path: string): FieldInSearch {
  const { collection, field, relationPath } = resolvePath(model, root, path, 'all');
  const foreign = relationPath === '' ? undefined : collection.name;
  return { path, field, operators: columnOf(field).operators, foreign };
}

function cheapField(
  model: ModelView,
  owner: CompiledCollection,
  field: ValueField,
  path: string,
  foreign: string | undefined,
): FieldInSearch[] {
  const operators = cheapOperators(model, owner, field);
  return operators.size > 0 ? [{ path, field, operators, foreign }] : [];
}

const known = new WeakMap<ValueField, ReadonlySet<Operator>>();

/** The operators of a field that are not carried out on records that have been read. */
function cheapOperators(model: ModelView, owner: CompiledCollection, field: ValueField): ReadonlySet<Operator> {
  if (field.kind === 'column' && !owner.rules.has(field.name)) return field.operators;
  const found = known.get(field);
  if (found) return found;
  const column = columnOf(field);
  const replaced = owner.rules.get(field.name)?.replacedOperators.keys() ?? [];
  const cheap = completeOperators(
    new Set([...ownOperators(model, owner, field), ...replaced]),
    column.type,
    column.isNullable,
  );
  const operators = column.operators.intersection(cheap);
  known.set(field, operators);
  return operators;
}

function ownOperators(model: ModelView, owner: CompiledCollection, field: ValueField): ReadonlySet<Operator> {
  if (field.kind === 'computed') return new Set();
  if (field.kind === 'imported') {
    const source = resolvePath(model, owner, field.path);
    return cheapOperators(model, source.collection, source.field);
  }
  const native = owner.native.fields.get(field.name);
  return native?.kind === 'column' ? native.operators : new Set();
}

/** Each relation is a join. */
const maxRelations = 10;

/**
 * The path, in original names, that a typed name like `customer.full-name` stands for: case, `-`, `_` and spaces do not
 * count, a name that is written exactly goes first. `undefined` when there is no such field.
 */
export function pathOfName(
  model: ModelView,
  collection: CompiledCollection,
  typed: string,
  audience: Pick<SearchAudience, 'fieldNames'>,
  relations = maxRelations,
): string | undefined {
  const names = audience.fieldNames(collection.name);
  const whole = nameAmong(names, typed);
  const field = whole === undefined ? undefined : collection.fields.get(whole);
  if (field && isValueField(field)) return whole;
  const dot = typed.indexOf('.');
  const relation = dot === -1 || relations === 0 ? undefined : nameAmong(names, typed.slice(0, dot));
  const step = relation === undefined ? undefined : collection.fields.get(relation);
  const foreign = step && !isValueField(step) ? model.collections.get(step.foreignCollection) : undefined;
  const rest = foreign && pathOfName(model, foreign, typed.slice(dot + 1), audience, relations - 1);
  return relation !== undefined && rest !== undefined ? joinPath(relation, rest) : undefined;
}

/** The name among `names` that a typed name means. */
function nameAmong(names: ReadonlyMap<string, string>, typed: string): string | undefined {
  const exact = names.get(typed);
  if (exact !== undefined) return exact;
  const wanted = comparableName(typed);
  for (const [name, original] of names) if (comparableName(name) === wanted) return original;
  return undefined;
}

function comparableName(name: string): string {
  return name.replaceAll(/[-_\s]/g, '').toLowerCase();
}
