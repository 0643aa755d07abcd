import type { DataSource, TransactionalStore } from '../data-sources/interface/data-source.ts';
import {
  type CompiledCollection,
  type CompiledField,
  columnOf,
  type DocumentLeaf,
  type FieldRules,
  type FieldValidation,
  type ImportedField,
  isValueField,
} from '../model/compiled-model.ts';
import type { CollectionSchema, ColumnSchema, RelationSchema } from '../query/collection-schema.ts';
import { isListType } from '../query/operators.ts';
import type { CollectionDraft, CollectionDrafts, FieldDraft, Refuse } from './collection-draft.ts';
import { isFault } from './compile-problem.ts';
import { documentLeaves, expressionsOf } from './document-leaves.ts';
import { finishColumn, finishRules } from './finish-column.ts';
import { isJoinable } from './joinable-relations.ts';
import { type ResolvedExpressions, resolveExpressions } from './resolve-expressions.ts';
import { type RelationLookup, type ResolvedImport, resolveImports } from './resolve-imports.ts';
import { resolveRelation } from './resolve-relation.ts';

type Relations = ReadonlyMap<CollectionDraft, ReadonlyMap<string, RelationSchema>>;
interface FinishedFields {
  readonly fields: Map<string, CompiledField>;
  readonly rules: Map<string, FieldRules>;
}

const searchableTypes: ReadonlySet<unknown> = new Set([
  'String',
  'Number',
  'Uuid',
  'Enum',
  'Boolean',
  'Date',
  'Dateonly',
]);

/** The collections that the drafts come to. What cannot be made is refused and left out. */
export function finishCollections(drafts: CollectionDrafts, refuse: Refuse): Map<string, CompiledCollection> {
  const relations = allRelations(drafts, refuse);
  const relationOf: RelationLookup = (draft, name) => relations.get(draft)?.get(name);
  const imports = resolveImports(drafts, relationOf, refuse);
  const expressions = resolveExpressions(drafts, relationOf, imports, refuse);
  const finished = new Map(
    [...drafts.values()].map((draft) => [draft, ownFields(draft, relations.get(draft), expressions)]),
  );
  for (const resolved of imports) finishImport(finished, resolved, refuse);
  const natives = nativeSchemas(drafts, relations, expressions);
  const stores = storesOf(drafts, natives);

  return new Map(
    [...drafts.values()].map((draft) => {
      const { fields, rules } = finished.get(draft) ?? { fields: new Map(), rules: new Map() };
      const native = natives.get(draft) ?? draft.native;
      const store = stores.get(draft.dataSource) ?? draft.dataSource;
      const leaves = documentLeaves(draft, expressions);
      return [draft.name, finish(draft, { fields: inOrder(draft, fields), rules, leaves }, native, store)];
    }),
  );
}

function finish(
  draft: CollectionDraft,
  { fields, rules, leaves }: FinishedFields & { readonly leaves: ReadonlyMap<string, DocumentLeaf> },
  native: CollectionSchema,
  store: TransactionalStore,
): CompiledCollection {
  const hasSearchableField = [...fields.values()].some((field) => isValueField(field) && isSearchable(columnOf(field)));
  return {
    name: draft.name,
    dataSource: draft.dataSource,
    store,
    native,
    isReadOnly: draft.native.isReadOnly,
    isSearchable: !draft.isSearchBanned && (draft.search !== undefined || hasSearchableField),
    isCountable: draft.isCountable,
    primaryKey: draft.native.primaryKey,
    fields,
    rules,
    segments: draft.segments,
    actions: draft.actions,
    charts: draft.charts,
    search: draft.search,
    hooks: draft.hooks,
    writeHandlers: draft.writeHandlers,
    documentLeaves: leaves,
    overrides: draft.overrides,
    validations: validationsOf(draft),
    binaryModes: draft.binaryModes,
  };
}

function isSearchable({ type, operators }: ColumnSchema): boolean {
  return operators.size > 0 && searchableTypes.has(isListType(type) ? type[0] : type);
}

/** A field that was declared nullable may be left empty, whatever else was declared. */
function validationsOf(draft: CollectionDraft): ReadonlyMap<string, readonly FieldValidation[]> {
  return new Map(
    [...draft.validations].map(([name, validations]) => [
      name,
      draft.nullableFields.has(name) ? validations.filter(({ operator }) => operator !== 'Present') : validations,
    ]),
  );
}

/** Every relation, native and declared. */
function allRelations(drafts: CollectionDrafts, refuse: Refuse): Relations {
  return new Map(
    [...drafts.values()].map((draft) => {
      const relations = [...draft.fields.values()].flatMap((field) => {
        const relation = asRelation(drafts, draft, field);
        if (!isFault(relation)) return relation ? [[relation.name, relation] as const] : [];
        if (field.kind === 'declared relation') refuse(relation, field.declaration);
        return [];
      });
      return [draft, new Map(relations)];
    }),
  );
}

function asRelation(drafts: CollectionDrafts, draft: CollectionDraft, field: FieldDraft) {
  if (field.kind === 'column' || field.kind === 'computed') return undefined;
  if (field.kind === 'import' || field.kind === 'expression') return undefined;
  return field.kind === 'declared relation' ? resolveRelation(drafts, draft, field) : field;
}

/** Everything but imports, which depend on the fields of other collections. */
function ownFields(
  draft: CollectionDraft,
  relations: ReadonlyMap<string, RelationSchema> | undefined,
  expressions: ResolvedExpressions,
): FinishedFields {
  if (hasFieldsOfItsTable(draft))
    return { fields: draft.native.fields as Map<string, CompiledField>, rules: new Map() };
  const finished: FinishedFields = { fields: new Map(relations ?? []), rules: new Map() };
  for (const declared of draft.fields.values()) {
    const field = declared.kind === 'expression' ? expressions.get(declared)?.field : declared;
    if (field?.kind === 'column') {
      finished.fields.set(field.name, finishWithRules(draft, field, finished.rules));
    } else if (field?.kind === 'computed') {
      finished.fields.set(field.name, { ...field, column: finishWithRules(draft, field.column, finished.rules) });
    }
  }
  return finished;
}

function finishWithRules(draft: CollectionDraft, column: ColumnSchema, into: Map<string, FieldRules>): ColumnSchema {
  const given = draft.rules.get(column.name);
  const rules = given && finishRules(given, column);
  if (rules) into.set(column.name, rules);
  return finishColumn(draft, column, rules);
}

function finishImport(
  finished: ReadonlyMap<CollectionDraft, FinishedFields>,
  { draft, owner, path, target, targetField }: ResolvedImport,
  refuse: Refuse,
): void {
  const source = finished.get(target)?.fields.get(targetField);
  const into = finished.get(owner);
  if (!into || (source?.kind !== 'column' && source?.kind !== 'computed')) return;
  const original = source.kind === 'column' ? source : source.column;
  const { name, definition, declaration } = draft;
  if (definition.readonly === false && original.isReadOnly) {
    refuse(`The imported field "${name}" of "${owner.name}" cannot be written: its source is read-only.`, declaration);
  }
  const { defaultValue: _default, expression: _expression, ...rest } = original;
  const column: ColumnSchema = {
    ...rest,
    name,
    isPrimaryKey: false,
    isNullable: true,
    hasDefault: false,
    isReadOnly: definition.readonly === true || original.isReadOnly,
  };
  const imported: ImportedField = { kind: 'imported', name, path, column: finishWithRules(owner, column, into.rules) };
  into.fields.set(name, imported);
}

/** What each data source can do by itself: its collections, with declared relations that it can join over and expressions. */
function nativeSchemas(
  drafts: CollectionDrafts,
  relations: Relations,
  expressions: ResolvedExpressions,
): Map<CollectionDraft, CollectionSchema> {
  return new Map(
    [...drafts.values()].map((draft) => {
      const joinable = [...(relations.get(draft)?.values() ?? [])].filter(
        (relation) => !draft.native.fields.has(relation.name) && isJoinable(drafts, draft, relation),
      );
      const computed = expressionsOf(draft, expressions).flatMap(({ native }) => native ?? []);
      const added = [...joinable, ...computed];
      if (added.length === 0) return [draft, draft.native];
      const fields = new Map([...draft.native.fields, ...added.map((field) => [field.name, field] as const)]);
      return [draft, { ...draft.native, fields }];
    }),
  );
}

/** One store for each data source; its own where nothing was added to it. */
function storesOf(
  drafts: CollectionDrafts,
  natives: ReadonlyMap<CollectionDraft, CollectionSchema>,
): Map<DataSource, TransactionalStore> {
  const sources = new Set([...drafts.values()].map((draft) => draft.dataSource));
  return new Map(
    [...sources].map((source) => {
      const own = [...natives].filter(([draft]) => draft.dataSource === source);
      const isUnchanged = own.every(([draft, native]) => draft.native === native);
      const schemas = own.map(([, native]) => native);
      return [source, isUnchanged ? source : (source.extendedBy?.(schemas) ?? source)];
    }),
  );
}

/** Nothing was added to the fields or said of them: of thousands of tables most are so, and none of theirs is copied. */
function hasFieldsOfItsTable({ fields, native, rules, writeHandlers, nullableFields }: CollectionDraft): boolean {
  const isAsItWas = fields.size === native.fields.size && rules.size === 0;
  return isAsItWas && writeHandlers.size === 0 && nullableFields.size === 0;
}

/** Fields in the order of the table, then of their declarations. */
function inOrder(draft: CollectionDraft, fields: ReadonlyMap<string, CompiledField>): Map<string, CompiledField> {
  if (fields === draft.native.fields) return draft.native.fields as Map<string, CompiledField>;
  return new Map(
    [...draft.fields.keys()].flatMap((name) => {
      const field = fields.get(name);
      return field ? [[name, field] as const] : [];
    }),
  );
}
