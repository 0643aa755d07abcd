import type { RecordData } from '../query/record-query.ts';
import type { ContextFilter, CustomizationContext } from './customization-context.ts';

export interface WriteContext extends CustomizationContext {
  readonly action: 'create' | 'update';
  /** What is being written, as it is before any handler of this write. */
  readonly record: RecordData;
  /** The records that an update changes; absent for a create and for a related record. */
  readonly filter?: ContextFilter | undefined;
}

// biome-ignore lint/suspicious/noConfusingVoidType: a handler that swallows the value may have no return at all.
export type WritePatch = RecordData | undefined | void;

/**
 * What is written instead of the value of a field: a patch of fields, to-one relations nested in it as objects, or
 * nothing to swallow the value.
 */
export type WriteHandler = (value: unknown, context: WriteContext) => WritePatch | Promise<WritePatch>;

/** `collection` of an override context is the database itself, without customizations. */
export interface OverrideCreateContext extends CustomizationContext {
  readonly data: readonly RecordData[];
}

export interface OverrideUpdateContext extends CustomizationContext {
  readonly filter: ContextFilter;
  readonly patch: RecordData;
}

export interface OverrideDeleteContext extends CustomizationContext {
  readonly filter: ContextFilter;
}

/** What writes the records of a collection, instead of its database. */
export interface OverrideHandlers {
  /** The created records, with their primary keys at least. */
  readonly create: (context: OverrideCreateContext) => readonly RecordData[] | Promise<readonly RecordData[]>;
  readonly update: (context: OverrideUpdateContext) => unknown;
  readonly delete: (context: OverrideDeleteContext) => unknown;
}
