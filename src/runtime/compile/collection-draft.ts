import type { Tone } from '#contracts/visible-schema';
import type { CollectionChart } from '../customizer/chart-definition.ts';
import type { BinaryMode, Declaration, ImportDefinition, SegmentDefinition } from '../customizer/declaration.ts';
import type { OperatorHandler, SearchHandler } from '../customizer/query-definition.ts';
import type { RelationDefinition } from '../customizer/relation-definition.ts';
import type { OverrideHandlers, WriteHandler } from '../customizer/write-definition.ts';
import type { DataSource } from '../data-sources/interface/data-source.ts';
import type {
  CompiledAction,
  CompiledCollection,
  CompiledHook,
  ComputedField,
  FieldTrust,
  FieldValidation,
  ModelView,
} from '../model/compiled-model.ts';
import type { CollectionSchema, ColumnSchema, ColumnType, RelationSchema } from '../query/collection-schema.ts';
import type { Expression } from '../query/expression.ts';
import type { Operator } from '../query/operators.ts';
import type { SortClause } from '../query/record-query.ts';
import type { CompileProblem, Fault } from './compile-problem.ts';

/** A relation whose keys are not looked at yet. */
export interface RelationDraft {
  readonly kind: 'declared relation';
  readonly name: string;
  readonly definition: RelationDefinition;
  readonly declaration: Declaration;
}

/** An import whose path is not followed yet. */
export interface ImportDraft {
  readonly kind: 'import';
  readonly name: string;
  readonly definition: ImportDefinition;
  readonly declaration: Declaration;
}

/** An expression whose fields are not followed yet. */
export interface ExpressionDraft {
  readonly kind: 'expression';
  readonly name: string;
  readonly columnType: ColumnType;
  readonly enumValues?: readonly string[] | undefined;
  readonly expression: Expression;
  /** Whether what it shows, a value in a document of the collection, is to be written. */
  readonly writing: 'never' | 'where it can be' | 'required';
  readonly declaration: Declaration;
}

/** A field that a declaration makes. */
export type DeclaredField = ComputedField | RelationDraft | ImportDraft | ExpressionDraft;
export type FieldDraft = ColumnSchema | RelationSchema | DeclaredField;

/** Fields by name: those of the table, then those that are declared. */
type FieldDrafts = Pick<ReadonlyMap<string, FieldDraft>, 'get' | 'has' | 'keys' | 'values'>;

/** The rules of one field for filters and sorts. */
export interface RulesDraft {
  readonly replacedOperators: Map<Operator, OperatorHandler>;
  readonly emulatedOperators: Set<Operator>;
  isWhollyEmulated: boolean;
  sort: readonly SortClause[] | 'emulated' | 'banned' | undefined;
}

/** A collection while a model is compiled: its table, with what declarations say of it. */
export interface CollectionDraft {
  readonly name: string;
  readonly dataSource: DataSource;
  readonly native: CollectionSchema;
  readonly fields: FieldDrafts;
}

/** A collection that declarations are about, while they are gathered. */
export interface CustomizedDraft extends CollectionDraft {
  readonly declaredFields: Map<string, DeclaredField>;
  readonly rules: Map<string, RulesDraft>;
  readonly segments: Map<string, SegmentDefinition>;
  readonly actions: Map<string, CompiledAction>;
  /** How many actions were declared so far; more than there are where one was passed over. */
  actionCount: number;
  readonly charts: Map<string, CollectionChart>;
  readonly hooks: CompiledHook[];
  readonly writeHandlers: Map<string, WriteHandler>;
  readonly overrides: { -readonly [Verb in keyof OverrideHandlers]?: OverrideHandlers[Verb] };
  readonly validations: Map<string, FieldValidation[]>;
  readonly nullableFields: Set<string>;
  readonly fileFields: Set<string>;
  readonly binaryModes: Map<string, BinaryMode>;
  readonly tones: Map<string, Readonly<Record<string, Tone>>>;
  readonly shownBecause: Map<string, string>;
  readonly trust: Map<string, FieldTrust>;
  /** New names by the original ones. */
  readonly renames: Map<string, string>;
  readonly removedFields: Set<string>;
  search: SearchHandler | undefined;
  isSearchBanned: boolean;
  isCountable: boolean;
  /** Whether the values of writes are kept. */
  keepsHistory: boolean;
  /** The field that names a record for people, where code says which. */
  title: string | undefined;
  isRemoved: boolean;
}

/** Every collection by name, in the order of the data sources. */
export interface CollectionDrafts
  extends Pick<ReadonlyMap<string, CollectionDraft>, 'get' | 'has' | 'keys' | 'values'> {
  /** The collections that have declarations, in the same order. Only these are compiled, even among thousands. */
  readonly customized: ReadonlyMap<string, CustomizedDraft>;
}

/** Takes what is wrong with a declaration. */
export type Refuse = (fault: Fault, declaration: Declaration) => void;

/** Names that are written out; two databases of one schema share them all. */
const maxNamed = 5;

function collision(names: readonly string[]): string {
  const shown = names
    .slice(0, maxNamed)
    .map((name) => `"${name}"`)
    .join(', ');
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
  return `Two data sources have a collection ${shown}${more}. Use "rename" (new names, or a prefix for all), "include" or "exclude" of one data source, in vendor-cloud.json or as options of addDataSource.`;
}

/** One draft for each collection; of two with one name, the second is a problem. */
export function createDrafts(
  dataSources: readonly DataSource[],
  declarations: readonly Declaration[],
  problems: CompileProblem[],
): CollectionDrafts {
  const named = new Set(declarations.map((declaration) => 'collection' in declaration && declaration.collection));
  const drafts = new Map<string, CollectionDraft>();
  const customized = new Map<string, CustomizedDraft>();
  const twice: string[] = [];
  for (const dataSource of dataSources) {
    for (const native of dataSource.collections) {
      const { name, fields } = native;
      if (drafts.has(name)) {
        twice.push(name);
      } else if (named.has(name)) {
        const draft = customizedDraft(dataSource, native);
        drafts.set(name, draft);
        customized.set(name, draft);
      } else drafts.set(name, { name, dataSource, native, fields });
    }
  }
  if (twice.length > 0) problems.push({ message: collision(twice), sharedNames: twice });
  return {
    customized,
    get: (name) => drafts.get(name),
    has: (name) => drafts.has(name),
    keys: () => drafts.keys(),
    values: () => drafts.values(),
  };
}

function customizedDraft(dataSource: DataSource, native: CollectionSchema): CustomizedDraft {
  const declaredFields = new Map<string, DeclaredField>();
  return {
    name: native.name,
    dataSource,
    native,
    declaredFields,
    fields: {
      get: (name) => native.fields.get(name) ?? declaredFields.get(name),
      has: (name) => native.fields.has(name) || declaredFields.has(name),
      keys: () => [...native.fields.keys(), ...declaredFields.keys()].values(),
      values: () => [...native.fields.values(), ...declaredFields.values()].values(),
    },
    rules: new Map(),
    segments: new Map(),
    actions: new Map(),
    actionCount: 0,
    charts: new Map(),
    hooks: [],
    writeHandlers: new Map(),
    overrides: {},
    validations: new Map(),
    nullableFields: new Set(),
    fileFields: new Set(),
    binaryModes: new Map(),
    tones: new Map(),
    shownBecause: new Map(),
    trust: new Map(),
    renames: new Map(),
    removedFields: new Set(),
    search: undefined,
    isSearchBanned: false,
    isCountable: true,
    keepsHistory: false,
    title: undefined,
    isRemoved: false,
  };
}

/** The collections that declarations are about, as the model has them. */
export function customizedOf(model: ModelView, drafts: CollectionDrafts): CompiledCollection[] {
  return [...drafts.customized.keys()].flatMap((name) => model.collections.get(name) ?? []);
}

/** The rules of a field, begun when they are first asked for. */
export function rulesOf(draft: CustomizedDraft, field: string): RulesDraft {
  const known = draft.rules.get(field);
  if (known) return known;
  const rules: RulesDraft = {
    replacedOperators: new Map(),
    emulatedOperators: new Set(),
    isWhollyEmulated: false,
    sort: undefined,
  };
  draft.rules.set(field, rules);
  return rules;
}

export function kindInWords(field: FieldDraft): string {
  if (field.kind === 'column') return 'column';
  if (field.kind === 'computed' || field.kind === 'expression') return 'computed field';
  return field.kind === 'import' ? 'imported field' : 'relation';
}
