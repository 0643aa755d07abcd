import type { TransactionalStore } from '../data-sources/interface/data-source.ts';
import {
  type CompiledCollection,
  columnOf,
  type DocumentLeaf,
  type FieldValidation,
  isValueField,
} from '../model/compiled-model.ts';
import type { CollectionSchema, ColumnSchema } from '../query/collection-schema.ts';
import { isListType } from '../query/operators.ts';
import type { CollectionDraft, CollectionDrafts, CustomizedDraft, Refuse } from './collection-draft.ts';
import { declaredRelations, isJoinable, type Relations } from './declared-relations.ts';
import { extendedStores } from './extended-stores.ts';
import { type FinishedFields, finishFields, noRules } from './finish-fields.ts';
import { type ResolvedExpression, type ResolvedExpressions, resolveExpressions } from './resolve-expressions.ts';
import { resolveImports } from './resolve-imports.ts';

const searchableTypes: ReadonlySet<unknown> = new Set([
  'String',
  'Number',
  'Uuid',
  'Enum',
  'Boolean',
  'Date',
  'Dateonly',
]);

/** The parts of a collection that come from its declarations. */
type Customization = Pick<
  CompiledCollection,
  | 'isCountable'
  | 'keepsHistory'
  | 'title'
  | 'segments'
  | 'actions'
  | 'charts'
  | 'search'
  | 'hooks'
  | 'writeHandlers'
  | 'documentLeaves'
  | 'overrides'
  | 'validations'
  | 'binaryModes'
  | 'tones'
  | 'shownBecause'
  | 'trust'
> & { readonly isSearchBanned: boolean };

/** Most collections have no declarations, and all of those share this object. */
const uncustomized: Customization = {
  isSearchBanned: false,
  isCountable: true,
  keepsHistory: false,
  title: undefined,
  segments: new Map(),
  actions: new Map(),
  charts: new Map(),
  search: undefined,
  hooks: [],
  writeHandlers: new Map(),
  documentLeaves: new Map(),
  overrides: {},
  validations: new Map(),
  binaryModes: new Map(),
  tones: new Map(),
  shownBecause: new Map(),
  trust: new Map(),
};

const noLimits: CompiledCollection['limits'] = new Map();

/** The collections that the drafts come to. What cannot be made is refused and left out. */
export function finishCollections(drafts: CollectionDrafts, refuse: Refuse): Map<string, CompiledCollection> {
  const relations = declaredRelations(drafts, refuse);
  const imports = resolveImports(drafts, relations.named, refuse);
  const expressions = resolveExpressions(drafts, relations.named, imports, refuse);
  const finished = finishFields(drafts, relations, imports, expressions, refuse);
  const stores = extendedStores(drafts, extendedSchemas(drafts, relations, expressions));

  const collections = new Map<string, CompiledCollection>();
  for (const draft of drafts.values()) {
    const { name, dataSource } = draft;
    const customized = drafts.customized.get(name);
    const customization = customized
      ? customizationOf(customized, documentLeaves(customized, expressions))
      : uncustomized;
    const fields = finished.get(draft) ?? { fields: draft.native.fields, rules: noRules };
    const extension = stores.get(dataSource);
    const native = extension?.extended.get(name) ?? draft.native;
    collections.set(name, finish(draft, customization, fields, native, extension?.store ?? dataSource));
  }
  return collections;
}

function customizationOf(draft: CustomizedDraft, leaves: ReadonlyMap<string, DocumentLeaf>): Customization {
  return {
    isSearchBanned: draft.isSearchBanned,
    isCountable: draft.isCountable,
    keepsHistory: draft.keepsHistory,
    title: draft.title,
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
    tones: draft.tones,
    shownBecause: draft.shownBecause,
    trust: draft.trust,
  };
}

/** A collection belongs to one model, whatever of it is shared with others: what is derived from both is kept by it. */
function finish(
  draft: CollectionDraft,
  customization: Customization,
  { fields, rules }: FinishedFields,
  native: CollectionSchema,
  store: TransactionalStore,
): CompiledCollection {
  return {
    name: draft.name,
    dataSource: draft.dataSource,
    store,
    native,
    isReadOnly: draft.native.isReadOnly || draft.native.isWriteDenied === true,
    isSearchable: !customization.isSearchBanned && (customization.search !== undefined || hasSearchableField(fields)),
    isCountable: customization.isCountable,
    keepsHistory: customization.keepsHistory,
    title: customization.title,
    primaryKey: draft.native.primaryKey,
    fields,
    rules,
    segments: customization.segments,
    actions: customization.actions,
    charts: customization.charts,
    search: customization.search,
    hooks: customization.hooks,
    writeHandlers: customization.writeHandlers,
    documentLeaves: customization.documentLeaves,
    overrides: customization.overrides,
    validations: customization.validations,
    binaryModes: customization.binaryModes,
    tones: customization.tones,
    shownBecause: customization.shownBecause,
    trust: customization.trust,
    limits: noLimits,
  };
}

function hasSearchableField(fields: CompiledCollection['fields']): boolean {
  for (const field of fields.values()) if (isValueField(field) && isSearchable(columnOf(field))) return true;
  return false;
}

function isSearchable({ type, operators }: ColumnSchema): boolean {
  return operators.size > 0 && searchableTypes.has(isListType(type) ? type[0] : type);
}

/** A field that was declared nullable may be left empty, whatever else was declared. */
function validationsOf(draft: CustomizedDraft): ReadonlyMap<string, readonly FieldValidation[]> {
  return new Map(
    [...draft.validations].map(([name, validations]) => [
      name,
      draft.nullableFields.has(name) ? validations.filter(({ operator }) => operator !== 'Present') : validations,
    ]),
  );
}

/**
 * The collections that data sources can extend by themselves: with declared relations that they can join, and with
 * expressions. Other collections are not in it.
 */
function extendedSchemas(
  drafts: CollectionDrafts,
  relations: Relations,
  expressions: ResolvedExpressions,
): Map<CollectionDraft, CollectionSchema> {
  return new Map(
    [...drafts.customized.values()].flatMap((draft) => {
      const joinable = relations.declaredOn(draft).filter((relation) => isJoinable(drafts, draft, relation));
      const computed = expressionsOf(draft, expressions).flatMap(({ native }) => native ?? []);
      const added = [...joinable, ...computed];
      if (added.length === 0) return [];
      const fields = new Map([...draft.native.fields, ...added.map((field) => [field.name, field] as const)]);
      return [[draft, { ...draft.native, fields }] as const];
    }),
  );
}

/** The expressions of one collection. */
function expressionsOf(draft: CustomizedDraft, expressions: ResolvedExpressions): ResolvedExpression[] {
  return [...draft.declaredFields.values()].flatMap((field) =>
    field.kind === 'expression' ? (expressions.get(field) ?? []) : [],
  );
}

/** The places in documents that fields are written to. */
function documentLeaves(draft: CustomizedDraft, expressions: ResolvedExpressions): Map<string, DocumentLeaf> {
  return new Map(
    expressionsOf(draft, expressions).flatMap(({ field, leaf }) => (leaf ? [[field.name, leaf] as const] : [])),
  );
}
