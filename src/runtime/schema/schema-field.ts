import type { SchemaField } from '#contracts/schema-document';
import { binaryModeOf } from '../model/binary-text.ts';
import {
  type CompiledCollection,
  type CompiledField,
  type CompiledModel,
  type FieldValidation,
  columnOf as fieldColumn,
  isRequired,
  isValueField,
} from '../model/compiled-model.ts';
import { schemaFieldType } from '../model/schema-field-type.ts';
import type { ColumnSchema, JoinPairs, ManyToManyRelation, RelationSchema } from '../query/collection-schema.ts';
import { rulesOfBytes, schemaValidations } from './schema-validations.ts';

/** A field as the schema document has it, its keys in alphabetical order; `undefined` for a foreign key, which its relation stands for. */
export function schemaField(
  model: CompiledModel,
  collection: CompiledCollection,
  field: CompiledField,
): SchemaField | undefined {
  if (isOnlyForeignKey(collection, field)) return undefined;
  if (field.kind === 'column') return columnField(collection, field);
  if (isValueField(field)) return columnField(collection, field.column);
  return relationField(model, collection, field);
}

/** Whether a field is a foreign key column that the schema document leaves out. A column that is a primary key as well is in it. */
export function isOnlyForeignKey(collection: CompiledCollection, field: CompiledField): boolean {
  if (!isValueField(field)) return false;
  const column = fieldColumn(field);
  return isForeignKeyColumn(collection, column.name) && !column.isPrimaryKey;
}

function columnField(collection: CompiledCollection, column: ColumnSchema): SchemaField {
  const isForeignKey = isForeignKeyColumn(collection, column.name);
  return {
    defaultValue: column.defaultValue ?? null,
    enums: [...(column.enumValues ?? [])].sort(),
    field: column.name,
    integration: null,
    inverseOf: null,
    isFilterable: column.operators.size > 0,
    isPrimaryKey: column.isPrimaryKey,
    isReadOnly: column.isReadOnly || isForeignKey,
    isRequired: isRequired(collection, column),
    isSortable: column.isSortable,
    isVirtual: false,
    reference: null,
    type: schemaFieldType(column.type),
    validations: validationsOf(collection, column),
  };
}

function relationField(
  model: CompiledModel,
  collection: CompiledCollection,
  relation: RelationSchema,
): SchemaField | undefined {
  const foreign = model.collections.get(relation.foreignCollection);
  if (!foreign) return undefined;
  const target = columnOf(foreign, lastJoin(relation)[0]?.foreign);
  const key = relation.kind === 'ManyToOne' ? columnOf(collection, relation.join[0]?.local) : target;
  const isToMany = relation.kind === 'OneToMany' || relation.kind === 'ManyToMany';
  const type = schemaFieldType(isToMany ? (target?.type ?? 'String') : (key?.type ?? 'String'));
  const isManyToOne = relation.kind === 'ManyToOne';
  return {
    defaultValue: isManyToOne ? (key?.defaultValue ?? null) : null,
    enums: null,
    field: relation.name,
    integration: null,
    inverseOf: inverseOf(foreign, collection.name, relation),
    isFilterable:
      !isToMany &&
      [...foreign.fields.values()].some((field) => isValueField(field) && fieldColumn(field).operators.size > 0),
    isPrimaryKey: false,
    isReadOnly: relation.kind === 'ManyToMany' ? false : (key?.isReadOnly ?? true),
    isRequired: isManyToOne && key !== undefined && isRequired(collection, key),
    isSortable: isToMany || (key?.isSortable ?? false),
    isVirtual: false,
    reference: `${foreign.name}.${target?.name ?? ''}`,
    relationship: relationships[relation.kind],
    type: isToMany ? [type] : type,
    validations: isManyToOne && key ? validationsOf(collection, key) : [],
  };
}

const relationships = {
  ManyToOne: 'BelongsTo',
  OneToOne: 'HasOne',
  OneToMany: 'HasMany',
  ManyToMany: 'BelongsToMany',
} as const;

/** The pairs that end in the foreign collection. */
function lastJoin(relation: RelationSchema): JoinPairs {
  return relation.kind === 'ManyToMany' ? relation.foreignJoin : relation.join;
}

/** The relation of the foreign collection over the same keys, back to `collection`. */
export function inverseOf(foreign: CompiledCollection, collection: string, relation: RelationSchema): string | null {
  for (const candidate of foreign.fields.values()) {
    if (isValueField(candidate) || candidate === relation) continue;
    if (candidate.foreignCollection === collection && isInverse(relation, candidate)) return candidate.name;
  }
  return null;
}

function isInverse(a: RelationSchema, b: RelationSchema): boolean {
  if (a.kind === 'ManyToMany') return b.kind === 'ManyToMany' && isReturnPath(a, b);
  if (b.kind === 'ManyToMany') return false;
  return (a.kind === 'ManyToOne') !== (b.kind === 'ManyToOne') && isMirrored(a.join, b.join);
}

function isReturnPath(a: ManyToManyRelation, b: ManyToManyRelation): boolean {
  if (a.throughCollection !== b.throughCollection) return false;
  return isMirrored(a.originJoin, b.foreignJoin) && isMirrored(a.foreignJoin, b.originJoin);
}

function isMirrored(a: JoinPairs, b: JoinPairs): boolean {
  return (
    a.length === b.length &&
    a.every((pair) => b.some((other) => other.local === pair.foreign && other.foreign === pair.local))
  );
}

function columnOf(collection: CompiledCollection, name: string | undefined): ColumnSchema | undefined {
  const field = name === undefined ? undefined : collection.fields.get(name);
  return field && isValueField(field) ? fieldColumn(field) : undefined;
}

function isForeignKeyColumn({ fields }: CompiledCollection, name: string): boolean {
  const columns = foreignKeyColumns.get(fields) ?? foreignKeyColumnsOf(fields);
  foreignKeyColumns.set(fields, columns);
  return columns.has(name);
}

/** By the fields of a collection, which are asked for each of its columns. */
const foreignKeyColumns = new WeakMap<CompiledCollection['fields'], ReadonlySet<string>>();

function foreignKeyColumnsOf(fields: CompiledCollection['fields']): ReadonlySet<string> {
  const columns = new Set<string>();
  for (const field of fields.values())
    if (field.kind === 'ManyToOne') for (const { local } of field.join) columns.add(local);
  return columns;
}

export function validationsOf(collection: CompiledCollection, column: ColumnSchema): SchemaField['validations'] {
  return schemaValidations(isRequired(collection, column), rulesOf(collection, column));
}

function rulesOf(collection: CompiledCollection, column: ColumnSchema): readonly FieldValidation[] {
  const rules = collection.validations.get(column.name) ?? [];
  return column.type === 'Binary' ? rulesOfBytes(binaryModeOf(collection, column), rules) : rules;
}
