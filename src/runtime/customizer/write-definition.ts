import type { RecordData } from '../query/record-query.ts';
import type { TypedContext, WithSchema } from './context-on.ts';
import type { ContextFilter, CustomizationContext } from './customization-context.ts';
import type { PartialRecord, PatchOf } from './record-types.ts';
import type { CollectionName, FieldValue, SchemaShape } from './schema-types.ts';

/**
 * How a write ended: everything of it is in the databases, nothing is, or a commit failed so that nobody can say.
 */
export type WriteOutcome = 'committed' | 'undone' | 'uncertain';

/** The context of code that runs before a write ends. */
export interface UnendedWrite {
  /**
   * Run `work` when the write is over, for what the code has done outside of the databases. An error of it is logged and
   * undoes nothing. It is awaited before the request is answered. It gets a context outside of the transaction.
   *
   * @example context.afterWrite(async (outcome) => { if (outcome === 'undone') await mailbox.discard(draft); });
   */
  afterWrite(work: (outcome: WriteOutcome, context: CustomizationContext) => unknown): void;
}

/** The context that a write handler gets. */
export interface WriteContext extends CustomizationContext, UnendedWrite {
  readonly action: 'create' | 'update';
  /** The patch or record as it is before any handler of this write changes it. */
  readonly record: RecordData;
  /** The records that an update changes; absent for a create and for a related record. */
  readonly filter?: ContextFilter | undefined;
}

/** What a write handler gives: the fields to write, or nothing. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler that swallows the value may have no return at all.
export type WritePatch = RecordData | undefined | void;

/**
 * The patch that is written in place of the value of a field, with to-one relations nested as objects. `undefined` drops
 * the value.
 */
export type WriteHandler = (value: unknown, context: WriteContext) => WritePatch | Promise<WritePatch>;

/** `collection` of an override context is the database itself, without customizations. */
export interface OverrideCreateContext extends CustomizationContext {
  readonly data: readonly RecordData[];
}

/** What an override of updates gets: the records, and what to write to them. */
export interface OverrideUpdateContext extends CustomizationContext {
  readonly filter: ContextFilter;
  readonly patch: RecordData;
}

/** What an override of deletions gets: the records. */
export interface OverrideDeleteContext extends CustomizationContext {
  readonly filter: ContextFilter;
}

/** The handlers that write the records of a collection in place of its database. */
export interface OverrideHandlers {
  /** The created records, with their primary keys at least. */
  readonly create: (context: OverrideCreateContext) => readonly RecordData[] | Promise<readonly RecordData[]>;
  readonly update: (context: OverrideUpdateContext) => unknown;
  readonly delete: (context: OverrideDeleteContext) => unknown;
}

/** The parts of write contexts that the schema types. */
interface TypedWriteMembers<S extends SchemaShape<S>, C extends CollectionName<S>> extends TypedContext<S, C> {
  readonly data: readonly Readonly<PartialRecord<S, C>>[];
  readonly patch: Readonly<PartialRecord<S, C>>;
  readonly record: Readonly<PartialRecord<S, C>>;
}

type WriteContextOn<S extends SchemaShape<S>, C extends CollectionName<S>, Context> = WithSchema<
  S,
  C,
  Context,
  TypedWriteMembers<S, C>
>;

/** What `overrideCreate`, `overrideUpdate` and `overrideDelete` take, typed as far as the schema is known. */
export interface OverrideHandlersOn<S extends SchemaShape<S>, C extends CollectionName<S>> {
  readonly create: (
    context: WriteContextOn<S, C, OverrideCreateContext>,
  ) => readonly Readonly<PartialRecord<S, C>>[] | Promise<readonly Readonly<PartialRecord<S, C>>[]>;
  readonly update: (context: WriteContextOn<S, C, OverrideUpdateContext>) => unknown;
  readonly delete: (context: WriteContextOn<S, C, OverrideDeleteContext>) => unknown;
}

// biome-ignore lint/suspicious/noConfusingVoidType: a handler that swallows the value may have no return at all.
type WritePatchOn<S extends SchemaShape<S>, C extends CollectionName<S>> = PatchOf<S, C> | undefined | void;

/** What `replaceFieldWriting` takes for the field `F`, typed as far as the schema is known. */
export type WriteHandlerOn<S extends SchemaShape<S>, C extends CollectionName<S>, F> = string extends keyof S
  ? WriteHandler
  : (
      value: FieldValue<S, C, F>,
      context: WriteContextOn<S, C, WriteContext>,
    ) => WritePatchOn<S, C> | Promise<WritePatchOn<S, C>>;
