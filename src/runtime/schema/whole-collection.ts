import type { VisibleCollection, VisibleField, VisibleOperator, VisibleRelation } from '#contracts/visible-schema';
import { binaryModeOf } from '../model/binary-text.ts';
import {
  type CompiledAction,
  type CompiledCollection,
  type CompiledModel,
  columnOf,
  isRequired,
  isValueField,
  isWrittenBy,
  type ValueField,
} from '../model/compiled-model.ts';
import { resolveSource } from '../model/field-path.ts';
import { titleField } from '../model/record-title.ts';
import { schemaFieldType } from '../model/schema-field-type.ts';
import { isLinkWritable } from '../model/writable-links.ts';
import type { ColumnSchema, RelationSchema, WrittenBy } from '../query/collection-schema.ts';
import {
  isListType,
  type Operator,
  operatorArguments,
  operatorNames,
  operatorsOfType,
  operatorToWire,
} from '../query/operators.ts';
import { schemaAction } from './schema-document.ts';
import { inverseOf, validationsOf } from './schema-field.ts';

/** All that there is of a collection, whoever asks. */
export interface WholeCollection
  extends Omit<VisibleCollection, 'rights' | 'revision' | 'isScoped' | 'fields' | 'relations' | 'actions'> {
  /** The relation of each foreign key is named, whether or not somebody may see it. */
  readonly fields: readonly VisibleField[];
  /** The collections whose records change when imported fields are written, by the names of the fields. */
  readonly importedFrom: ReadonlyMap<string, string>;
  readonly relations: readonly WholeRelation[];
  readonly actions: readonly ReturnType<typeof schemaAction>[];
}

/** A relation, with what decides whether somebody may link and unlink. */
interface WholeRelation {
  readonly shown: Omit<VisibleRelation, 'isReadOnly'>;
  /** The collection whose records change when records are linked; `undefined` where they cannot be. */
  readonly changes: string | undefined;
}

/** Describe a collection with its published names. */
export function wholeCollection(model: CompiledModel, collection: CompiledCollection, prefix: string): WholeCollection {
  const action = (compiled: CompiledAction) => schemaAction(model, collection.name, compiled, prefix);
  return {
    ...collectionByItself(collection),
    fields: [...collection.fields.values()].filter(isValueField).map((field) => wholeField(collection, field)),
    importedFrom: importedFrom(model, collection),
    relations: [...collection.fields.values()].flatMap((field) =>
      isValueField(field) ? [] : wholeRelation(model, collection, field),
    ),
    actions: [...collection.actions.values()].map(action),
  };
}

/** Where the writing of a field is replaced, what becomes of it is up to the customization. */
function importedFrom({ original, names, collections }: CompiledModel, { name }: CompiledCollection) {
  const stored = original.collections.get(name);
  const found = [...(stored?.fields.values() ?? [])].flatMap((field): [string, string][] => {
    if (!stored || field.kind !== 'imported' || stored.writeHandlers.has(field.name)) return [];
    const source = resolveSource(original, stored, field.path).collection.name;
    const published = names.publishedName(name, field.name);
    return published !== undefined && collections.has(source) ? [[published, source]] : [];
  });
  return new Map(found);
}

/** The part of a description, beside the fields, that no other collection has a say in. */
export function collectionByItself(
  collection: CompiledCollection,
): Omit<WholeCollection, 'fields' | 'importedFrom' | 'relations' | 'actions'> {
  const { name, isReadOnly, isSearchable, isCountable, primaryKey, overrides } = collection;
  return {
    name,
    primaryKey,
    title: titleField(collection),
    isReadOnly: isReadOnly && Object.keys(overrides).length === 0,
    isSearchable,
    isCountable,
    hasSoftDeletes: collection.native.softDelete !== undefined,
    segments: [...collection.segments.keys()],
    charts: [...collection.charts.keys()].map((chart) => ({ name: chart, kind: null })),
  };
}

/** No other collection has a say in it either. */
export function wholeField(collection: CompiledCollection, field: ValueField): VisibleField {
  const column = columnOf(field);
  const { name, type, enumValues, isPrimaryKey, isNullable, isSortable, isGroupable, isExact } = column;
  return {
    name,
    type: schemaFieldType(type),
    isPrimaryKey,
    ...waysOfColumns(collection, [column]),
    isRequired: isRequired(collection, column),
    isNullable,
    isSortable,
    isGroupable,
    isExact,
    isComputed: field.kind === 'computed' || column.expression !== undefined,
    foreignKeyOf: relationOfKey(collection, name),
    defaultValue: column.defaultValue ?? null,
    enumValues: enumValues ?? null,
    tones: collection.tones.get(name) ?? null,
    operators: operatorsOf(column),
    validations: validationsOf(collection, column),
    isFile: isFile(collection, column),
    ...(column.isDuration ? { isDuration: true } : {}),
    ...(collection.limits.get(name)?.mask ? { isMasked: true } : {}),
  };
}

/** The ways in which all of the columns may be written. */
function waysOfColumns(collection: CompiledCollection, columns: readonly (ColumnSchema | undefined)[]): WrittenWays {
  return waysOf((way) => columns.every((column) => column !== undefined && isWrittenBy(collection, column, way)));
}

type WrittenWays = Pick<VisibleField, 'isReadOnly' | 'writtenBy'>;

export function waysOf(isWritten: (way: WrittenBy) => boolean): WrittenWays {
  const [edit, add] = [isWritten('edit'), isWritten('add')];
  return { isReadOnly: !edit && !add, ...(edit === add ? {} : { writtenBy: edit ? 'edit' : 'add' }) };
}

function relationOfKey({ fields }: CompiledCollection, column: string): string | null {
  for (const field of fields.values()) {
    if (field.kind === 'ManyToOne' && field.join.some(({ local }) => local === column)) return field.name;
  }
  return null;
}

/** Those that a request may use. There are many columns and few types: columns with the same operators share one list. */
function operatorsOf({ type, operators }: ColumnSchema): readonly VisibleOperator[] {
  const ofType = operatorsOfType(type);
  const lists = listsOf.get(operators) ?? new WeakMap<ReadonlySet<Operator>, readonly VisibleOperator[]>();
  listsOf.set(operators, lists);
  const known = lists.get(ofType);
  if (known) return known;
  const list = [...operators].filter((operator) => ofType.has(operator)).map((operator) => shownOperators[operator]);
  lists.set(ofType, list);
  return list;
}

const listsOf = new WeakMap<ReadonlySet<Operator>, WeakMap<ReadonlySet<Operator>, readonly VisibleOperator[]>>();

/** They look for a text, whatever the type of the column. */
const textOperators = /(?:Contains|StartsWith|EndsWith|Like)$/;

const argumentNames = { none: 'none', value: 'one', list: 'list', number: 'integer' } as const;

const shownOperators = Object.fromEntries(
  operatorNames.map((name) => {
    const value = textOperators.test(name) ? 'text' : argumentNames[operatorArguments[name]];
    return [name, { operator: operatorToWire(name), value }];
  }),
) as Readonly<Record<Operator, VisibleOperator>>;

function isFile(collection: CompiledCollection, column: ColumnSchema): boolean {
  if (column.isFile) return true;
  const item = isListType(column.type) ? column.type[0] : column.type;
  return item === 'Binary' && binaryModeOf(collection, column) === 'datauri';
}

function wholeRelation(
  model: CompiledModel,
  collection: CompiledCollection,
  relation: RelationSchema,
): WholeRelation | [] {
  const foreign = model.collections.get(relation.foreignCollection);
  if (!foreign) return [];
  const keys = relation.kind === 'ManyToOne' ? relation.join.map(({ local }) => columnNamed(collection, local)) : [];
  const { isReadOnly: _isReadOnly, ...ways } = waysOfColumns(collection, keys);
  return {
    shown: {
      name: relation.name,
      ...ways,
      kind: relation.kind,
      collection: foreign.name,
      title: titleField(foreign),
      isRequired: keys.some((key) => key !== undefined && isRequired(collection, key)),
      keys: keys.flatMap((key) => key?.name ?? []),
      inverse: inverseOf(foreign, collection.name, relation),
    },
    changes: changedBy(model, collection, foreign, relation),
  };
}

/**
 * The collection whose records change when records are linked. The right to link is that to edit this collection. Links of many to
 * many are rows in between.
 */
export function changedBy(
  model: CompiledModel,
  collection: CompiledCollection,
  foreign: CompiledCollection,
  relation: RelationSchema,
): string | undefined {
  if (relation.kind === 'ManyToMany') {
    if (!isLinkWritable(model, collection, relation)) return undefined;
    const through = model.original.collections.get(relation.throughCollection);
    const columns = [
      ...relation.originJoin.map((pair) => pair.foreign),
      ...relation.foreignJoin.map((pair) => pair.local),
    ];
    const isLinked = through && isWritable(through) && isWritten(through, columns, ['add']);
    return isLinked ? foreign.name : undefined;
  }
  const isHere = relation.kind === 'ManyToOne';
  const holder = isHere ? collection : foreign;
  const keys = relation.join.map((pair) => (isHere ? pair.local : pair.foreign));
  // A new record may be linked from where its key is, with its other values.
  return isWritable(holder) && isWritten(holder, keys, isHere ? ['edit', 'add'] : ['edit']) ? holder.name : undefined;
}

function isWritten(holder: CompiledCollection, keys: readonly string[], ways: readonly WrittenBy[]): boolean {
  const columns = keys.map((key) => columnNamed(holder, key));
  return ways.some((way) => columns.every((column) => column !== undefined && isWrittenBy(holder, column, way)));
}

function isWritable({ isReadOnly, overrides }: CompiledCollection): boolean {
  return !isReadOnly || overrides.update !== undefined;
}

function columnNamed({ fields }: CompiledCollection, name: string): ColumnSchema | undefined {
  const field = fields.get(name);
  return field && isValueField(field) ? columnOf(field) : undefined;
}
