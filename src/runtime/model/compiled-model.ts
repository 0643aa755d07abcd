import type { BuiltDashboard, DashboardChart } from '#contracts/dashboards';
import type { Tone } from '#contracts/visible-schema';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import type { AiSettings } from '../ai/ai-settings.ts';
import type { AnyActionDefinition } from '../customizer/action-definition.ts';
import type { AgentChart, CollectionChart } from '../customizer/chart-definition.ts';
import type { CustomizationContext } from '../customizer/customization-context.ts';
import type { BinaryMode, OverrideVerb, SegmentDefinition } from '../customizer/declaration.ts';
import type { Mask } from '../customizer/field-definition.ts';
import type { AnyHookHandler, HookPosition, HookType } from '../customizer/hook-definition.ts';
import type { OperatorHandler, SearchHandler } from '../customizer/query-definition.ts';
import type { OverrideHandlers, WriteHandler } from '../customizer/write-definition.ts';
import type { DataSource, TransactionalStore } from '../data-sources/interface/data-source.ts';
import type { ReplicatedDatabase } from '../data-sources/interface/read-session.ts';
import type {
  CollectionSchema,
  ColumnSchema,
  RelationSchema,
  WriteKind,
  WrittenBy,
} from '../query/collection-schema.ts';
import type { Expression } from '../query/expression.ts';
import type { Operator } from '../query/operators.ts';
import type { RecordData, SortClause } from '../query/record-query.ts';
import type { PublishedNames } from './published-names.ts';

/** A field whose values come from a JavaScript handler, one call a query. */
export interface ComputedField {
  readonly kind: 'computed';
  readonly name: string;
  /** How it looks to a client. */
  readonly column: ColumnSchema;
  /** The fields that the handler reads, also behind to-one relations. They never form a cycle. */
  readonly dependencies: readonly string[];
  /** What the handler works out, where code gave an expression that the database does not know. */
  readonly expression?: Expression;
  getValues(
    records: readonly RecordData[],
    context: CustomizationContext,
  ): readonly unknown[] | Promise<readonly unknown[]>;
}

/** A field of a related record, shown as one of this collection. */
export interface ImportedField {
  readonly kind: 'imported';
  readonly name: string;
  /** How it looks to a client. */
  readonly column: ColumnSchema;
  /** The path `relation:field`. It ends on a column or a computed field, never on another import. */
  readonly path: string;
}

/** A field that holds a value, as opposed to a relation. */
export type ValueField = ColumnSchema | ComputedField | ImportedField;
export type CompiledField = ValueField | RelationSchema;

export interface CompiledAction {
  readonly name: string;
  /** Position in declaration order; part of the action's address. */
  readonly index: number;
  readonly slug: string;
  /** The end of its path, below that of its collection: `<index>/<slug>`, or the slug only. */
  readonly address: string;
  readonly definition: AnyActionDefinition;
}

/** The rules of one field for filters and sorts. */
export interface FieldRules {
  readonly replacedOperators: ReadonlyMap<Operator, OperatorHandler>;
  /** Operators that are evaluated on records that have been read. */
  readonly emulatedOperators: ReadonlySet<Operator>;
  /** The fields to sort by instead; `'emulated'` to sort in the agent, after reading the records. */
  readonly sort?: readonly SortClause[] | 'emulated' | undefined;
}

export interface FieldValidation {
  readonly operator: Operator;
  readonly value: unknown;
}

export interface CompiledHook {
  readonly position: HookPosition;
  readonly type: HookType;
  readonly handler: AnyHookHandler;
}

/** A field that shows, and writes, one value of a document. */
export interface DocumentLeaf {
  readonly column: string;
  readonly path: readonly string[];
}

/** Whether people outside can write what is in a field, as code says. */
export type FieldTrust = { readonly isTrusted: false } | { readonly isTrusted: true; readonly reason: string };

/** What somebody may not do with a field that they see. */
export interface FieldLimit {
  /** Makes the text that is shown in place of the value. */
  readonly mask: ((value: unknown) => string | null) | undefined;
  /** Whether records may be filtered, sorted, grouped and searched by it. */
  readonly isFilterable: boolean;
  readonly isWritable: boolean;
  /** The only way in which it may be written: as a part of a change, or of a new record. */
  readonly writtenBy: WrittenBy | undefined;
}

/** A collection after customization. Immutable. */
export interface CompiledCollection {
  readonly name: string;
  readonly dataSource: DataSource;
  /** The store that reads and writes its records. */
  readonly store: TransactionalStore;
  /** The schema that the store knows: its own columns with their operators, and the relations that it can join. */
  readonly native: CollectionSchema;
  readonly isReadOnly: boolean;
  readonly isSearchable: boolean;
  readonly isCountable: boolean;
  /** Whether the values of writes are kept, for the history of records. */
  readonly keepsHistory: boolean;
  /** The field that names a record for people, where code says which. */
  readonly title: string | undefined;
  readonly primaryKey: readonly string[];
  readonly fields: ReadonlyMap<string, CompiledField>;
  /** By field. */
  readonly rules: ReadonlyMap<string, FieldRules>;
  readonly segments: ReadonlyMap<string, SegmentDefinition>;
  /** By address. */
  readonly actions: ReadonlyMap<string, CompiledAction>;
  readonly charts: ReadonlyMap<string, CollectionChart>;
  readonly search: SearchHandler | undefined;
  readonly hooks: readonly CompiledHook[];
  readonly writeHandlers: ReadonlyMap<string, WriteHandler>;
  /** By field. */
  readonly documentLeaves: ReadonlyMap<string, DocumentLeaf>;
  readonly overrides: Partial<OverrideHandlers>;
  readonly validations: ReadonlyMap<string, readonly FieldValidation[]>;
  readonly binaryModes: ReadonlyMap<string, BinaryMode>;
  /** By field, then by value. */
  readonly tones: ReadonlyMap<string, Readonly<Record<string, Tone>>>;
  /** Why fields are shown although what they are made of is closed to somebody, by field. */
  readonly shownBecause: ReadonlyMap<string, string>;
  /** What code says of who writes what is in fields, by original name. */
  readonly trust: ReadonlyMap<string, FieldTrust>;
  /** By field, in the model of a role; empty in the whole one. */
  readonly limits: ReadonlyMap<string, FieldLimit>;
}

/** Collections by name, all in one naming: the original one, or the published one. */
export interface ModelView {
  readonly collections: ReadonlyMap<string, CompiledCollection>;
  /** Number of the version of the code, where a host serves it. */
  readonly codeVersion?: number | undefined;
}

/**
 * The result of all declarations of an agent: validated, immutable, ready to plan queries on. Its own collections are the
 * published ones, with their published names.
 */
export interface CompiledDashboard extends Pick<BuiltDashboard, 'name' | 'title'> {
  readonly charts: readonly {
    readonly definition: DashboardChart;
    /** The collections that its paths lead to, which a person must be able to read. */
    readonly reads: readonly string[];
  }[];
}

export interface CompiledModel extends ModelView {
  /** Names of collections that hold a slash, the longest first; an address has to be read with them. */
  readonly namesWithSlash: readonly string[];
  /** Every collection and field, as customization code names them; queries are planned and executed on it. */
  readonly original: ModelView;
  readonly names: PublishedNames;
  /** The charts of the agent, which belong to no collection. */
  readonly charts: ReadonlyMap<string, AgentChart>;
  /** Those of the project, whose names are all known. */
  readonly dashboards?: readonly CompiledDashboard[];
  /** The databases that have replicas. */
  readonly replicated?: readonly ReplicatedDatabase[];
  /** The provider of the AI features; `undefined` for none. */
  readonly ai: AiSettings | undefined;
  /** Those of the project's code, by name. */
  readonly masks: ReadonlyMap<string, Mask>;
  /** The model that this one shows a part of, to people of a role; absent in the whole one. */
  readonly whole?: CompiledModel;
}

/** The model with every field that is published. Scopes and conditions of rights are about that one, whoever asks. */
export function wholeModel(model: CompiledModel): CompiledModel {
  return model.whole ?? model;
}

/** The name by which somebody knows a field of an original name; `undefined` for one that their rights hide. */
export function knownName(model: CompiledModel, collection: string, field: string): string | undefined {
  const name = model.names.publishedName(collection, field);
  const isIn = ({ collections }: ModelView) => collections.get(collection)?.fields.has(name) === true;
  return isIn(wholeModel(model)) && !isIn(model) ? undefined : name;
}

/** How a field looks: its type, operators and flags. */
export function columnOf(field: ValueField): ColumnSchema {
  return field.kind === 'column' ? field : field.column;
}

export function isValueField(field: CompiledField): field is ValueField {
  return field.kind === 'column' || field.kind === 'computed' || field.kind === 'imported';
}

/** Whether a field may be written in that way, by the rights of the caller and by those of the user of the database. */
export function isWrittenBy({ limits }: CompiledCollection, column: ColumnSchema, way: WrittenBy): boolean {
  const ways = [limits.get(column.name)?.writtenBy, column.writtenBy];
  return !column.isReadOnly && ways.every((only) => only === undefined || only === way);
}

/** Whether a new record must give a value to the column. */
export function isRequired({ validations }: CompiledCollection, column: ColumnSchema): boolean {
  const isDemanded = validations.get(column.name)?.some(({ operator }) => operator === 'Present') ?? false;
  const isFilled = column.hasDefault || column.isReadOnly || column.writtenBy === 'edit';
  return isDemanded || ((!column.isNullable || column.refusesNull === true) && !isFilled);
}

const verbs = { add: 'create', edit: 'update', delete: 'delete' } as const satisfies Record<WriteKind, OverrideVerb>;

/** The writes that the user of the database may not make, and that no code makes in its place. A soft deletion is a change. */
export function deniedWrites({ native, overrides }: CompiledCollection): readonly WriteKind[] {
  const { deniedWrites: denied = [], softDelete } = native;
  const isDenied = (kind: WriteKind) => denied.includes(kind === 'delete' && softDelete ? 'edit' : kind);
  return (['add', 'edit', 'delete'] as const).filter((kind) => isDenied(kind) && !overrides[verbs[kind]]);
}

/** The collection of that name; throws `REQUEST_NOT_FOUND`. */
export function collectionNamed(model: ModelView, name: string): CompiledCollection {
  const collection = model.collections.get(name);
  if (collection) return collection;
  const nearest = nearestName(name, model.collections.keys());
  throw cloudError(
    'REQUEST_NOT_FOUND',
    `There is no collection "${name}".${didYouMean(nearest)}`,
    nearest ? `Use "${nearest}".` : 'Use one of the collections of the schema.',
  );
}

/** The collection of that name, else the only one that differs from it in case. */
export function findCollection(model: ModelView, name: string | undefined): CompiledCollection | undefined {
  const exact = name === undefined ? undefined : model.collections.get(name);
  if (exact) return exact;
  const wanted = name?.toLowerCase();
  const [found, another] = [...model.collections.values()].filter(({ name: known }) => known.toLowerCase() === wanted);
  return another ? undefined : found;
}

/** The collection of that name; throws `REQUEST_UNPROCESSABLE` or `DATABASE_WRITE_FORBIDDEN` when it cannot be written so. */
export function writableCollection(model: ModelView, name: string, verb: OverrideVerb): CompiledCollection {
  const collection = collectionNamed(model, name);
  if (deniedWrites(collection).some((kind) => verbs[kind] === verb)) throw deniedByDatabase(`${deeds[verb]} "${name}"`);
  if (!collection.isReadOnly || collection.overrides[verb]) return collection;
  if (collection.native.isWriteDenied) throw deniedByDatabase(`write to the table of "${name}"`);
  throw cloudError(
    'REQUEST_UNPROCESSABLE',
    `The collection "${name}" is read-only: it is a view or has no primary key.`,
    'Write to the table behind it, or give it a primary key.',
  );
}

const deeds: Readonly<Record<OverrideVerb, string>> = {
  create: 'add records to',
  update: 'change records of',
  delete: 'delete records of',
};

function deniedByDatabase(deed: string): CloudError {
  return cloudError(
    'DATABASE_WRITE_FORBIDDEN',
    `The user of the database may not ${deed}. Nothing was changed.`,
    'Ask whoever runs the database for the right, and restart the agent.',
  );
}

/** A relation of a collection, of one of the `kinds`; throws `REQUEST_NOT_FOUND`. */
export function relationNamed(
  model: ModelView,
  owner: string,
  name: string,
  kinds: readonly RelationSchema['kind'][],
): { readonly collection: CompiledCollection; readonly foreign: CompiledCollection; readonly field: RelationSchema } {
  const collection = collectionNamed(model, owner);
  const field = collection.fields.get(name);
  if (field && !isValueField(field) && kinds.includes(field.kind)) {
    return { collection, field, foreign: collectionNamed(model, field.foreignCollection) };
  }
  const known = [...collection.fields.values()].flatMap((candidate) =>
    !isValueField(candidate) && kinds.includes(candidate.kind) ? [candidate.name] : [],
  );
  const nearest = nearestName(name, known);
  throw cloudError(
    'REQUEST_NOT_FOUND',
    `The collection "${owner}" has no such relation "${name}".${didYouMean(nearest)}`,
    nearest ? `Use "${nearest}".` : 'Use one of the relations of the schema.',
  );
}
