import type { FieldRule, FieldRules } from '../permissions/field-rules.ts';
import type { ColumnSchema } from '../query/collection-schema.ts';
import {
  type CompiledCollection,
  type CompiledField,
  type CompiledModel,
  columnOf,
  type FieldLimit,
  isValueField,
  type ValueField,
} from './compiled-model.ts';
import { FieldAccess } from './field-access.ts';
import { maskedBy, maskNamed } from './masks.ts';

/**
 * The model as people of a role know it. What they may not see is not published, so that no request, answer, schema or message can name
 * it. Requests are carried out on the original collections, which stay whole.
 */
export function modelForRole(whole: CompiledModel, rules: FieldRules): CompiledModel {
  const access = new FieldAccess(whole, rules);
  const collections = new Map(
    [...whole.collections].map(([name, collection]) => [name, collectionForRole(whole, collection, access)]),
  );
  return { ...whole, collections, whole };
}

/** The same collection where the role is not restricted on any of its fields. */
function collectionForRole(
  { original, names, masks }: CompiledModel,
  collection: CompiledCollection,
  access: FieldAccess,
): CompiledCollection {
  const { name } = collection;
  const stored = original.collections.get(name);
  if (!stored) return collection;
  const fields = new Map<string, CompiledField>();
  const limits = new Map<string, FieldLimit>();
  for (const field of collection.fields.values()) {
    const originalName = names.originalPath(name, field.name);
    if (!isValueField(field)) {
      const relation = stored.fields.get(originalName);
      const isShown = !relation || isValueField(relation) || access.isShown(stored, relation);
      if (isShown) fields.set(field.name, field);
      continue;
    }
    const rule = access.of(stored, originalName);
    if (rule.read === false) continue;
    const limit = limitOf(rule, masks);
    if (limit) limits.set(field.name, limit);
    const isSortedByOpen = access.isSortOpen(stored, originalName);
    fields.set(field.name, limit || !isSortedByOpen ? limitedField(field, limit, isSortedByOpen) : field);
  }
  const isSame = [...collection.fields].every(([known, field]) => fields.get(known) === field);
  if (isSame) return collection;
  const isKept = (field: string) => fields.has(field) && !limits.get(field)?.mask;
  const { title } = collection;
  return {
    ...collection,
    fields,
    limits,
    title: title !== undefined && fields.has(title) ? title : undefined,
    validations: only(collection.validations, isKept),
    binaryModes: only(collection.binaryModes, isKept),
    tones: only(collection.tones, isKept),
  };
}

function limitOf({ read, filter, write, writtenBy }: FieldRule, masks: CompiledModel['masks']): FieldLimit | undefined {
  if (read === true && filter && write && !writtenBy) return undefined;
  const mask = typeof read === 'string' ? maskNamed(read, masks) : undefined;
  return { mask: mask && maskedBy(mask), isFilterable: filter, isWritable: write, writtenBy };
}

function limitedField(field: ValueField, limit: FieldLimit | undefined, isSortedByOpen: boolean): ValueField {
  const column = limitedColumn(columnOf(field), limit, isSortedByOpen);
  return field.kind === 'column' ? column : { ...field, column };
}

function limitedColumn(column: ColumnSchema, limit: FieldLimit | undefined, isSortedByOpen: boolean): ColumnSchema {
  if (!limit) return { ...column, isSortable: column.isSortable && isSortedByOpen };
  const { mask, isFilterable, isWritable } = limit;
  const asked = isFilterable
    ? { isSortable: column.isSortable && isSortedByOpen }
    : { operators: noOperators, isSortable: false, isGroupable: false };
  const limited = { ...column, ...asked, isReadOnly: column.isReadOnly || !isWritable };
  return mask ? maskedColumn(limited) : limited;
}

const noOperators: ColumnSchema['operators'] = new Set();

/** Masks make texts. */
function maskedColumn({
  enumValues: _values,
  defaultValue: _default,
  scale: _scale,
  hasInfinity: _infinity,
  isDuration: _duration,
  isFile: _file,
  ...column
}: ColumnSchema): ColumnSchema {
  return { ...column, type: 'String', isExact: false };
}

function only<Value>(
  values: ReadonlyMap<string, Value>,
  isKept: (field: string) => boolean,
): ReadonlyMap<string, Value> {
  return new Map([...values].filter(([field]) => isKept(field)));
}
