import type { AggregateRow } from '../query/aggregation.ts';
import type { RecordData } from '../query/record-query.ts';
import type { TypedContext, WithSchema } from './context-on.ts';
import type { ContextAggregation, ContextFilter, CustomizationContext } from './customization-context.ts';
import type { PartialRecord, WholeRecord } from './record-types.ts';
import type { NearPath } from './schema-path.ts';
import type { CollectionName, SchemaShape } from './schema-types.ts';
import type { UnendedWrite } from './write-definition.ts';

/** Whether a hook runs before or after what it is about. */
export type HookPosition = 'Before' | 'After';
/** What a hook is about. */
export type HookType = 'List' | 'Create' | 'Update' | 'Delete' | 'Aggregate';

/** The context that every hook gets. */
export type HookContext = CustomizationContext;

interface BeforeListContext extends HookContext {
  readonly filter: ContextFilter;
  readonly projection: readonly string[];
}

interface AfterListContext extends BeforeListContext {
  /** The records of the answer; what is changed in one of them is what is answered. */
  readonly records: readonly Record<string, unknown>[];
}

interface BeforeCreateContext extends HookContext {
  /** The records to create; what is changed in one of them is what is created. */
  readonly data: readonly Record<string, unknown>[];
}

interface AfterCreateContext extends BeforeCreateContext {
  readonly records: readonly RecordData[];
}

interface BeforeUpdateContext extends HookContext {
  readonly filter: ContextFilter;
  /** Changes to it are written. */
  readonly patch: Record<string, unknown>;
}

interface BeforeDeleteContext extends HookContext {
  readonly filter: ContextFilter;
}

interface BeforeAggregateContext extends HookContext {
  readonly filter: ContextFilter;
  readonly aggregation: ContextAggregation;
  readonly limit: number | undefined;
}

interface AfterAggregateContext extends BeforeAggregateContext {
  readonly aggregateResult: readonly AggregateRow[];
}

/** The context of a hook, by its position and type. */
export interface HookContexts {
  readonly Before: {
    readonly List: BeforeListContext;
    readonly Create: BeforeCreateContext & UnendedWrite;
    readonly Update: BeforeUpdateContext & UnendedWrite;
    readonly Delete: BeforeDeleteContext & UnendedWrite;
    readonly Aggregate: BeforeAggregateContext;
  };
  readonly After: {
    readonly List: AfterListContext;
    readonly Create: AfterCreateContext;
    readonly Update: BeforeUpdateContext;
    readonly Delete: BeforeDeleteContext;
    readonly Aggregate: AfterAggregateContext;
  };
}

/**
 * Code around an operation that a person or a program asks the agent for; not around what customization code does.
 * Before-hooks run in the order of their declarations and can stop the operation; after-hooks run when it is committed.
 */
export type HookHandler<P extends HookPosition = HookPosition, T extends HookType = HookType> = (
  context: HookContexts[P][T],
) => unknown;

/** The parts of hook contexts that the schema types. */
interface TypedHookMembers<S extends SchemaShape<S>, C extends CollectionName<S>, T extends HookType>
  extends TypedContext<S, C> {
  readonly projection: readonly (NearPath<S, C> | (string & {}))[];
  readonly data: readonly PartialRecord<S, C>[];
  readonly patch: PartialRecord<S, C>;
  readonly records: T extends 'Create' ? readonly WholeRecord<S, C>[] : readonly PartialRecord<S, C>[];
}

/** The context of a hook on a collection, typed as far as the schema is known. */
type HookContextOn<
  S extends SchemaShape<S>,
  C extends CollectionName<S>,
  P extends HookPosition,
  T extends HookType,
> = WithSchema<S, C, HookContexts[P][T], TypedHookMembers<S, C, T>>;

export type HookHandlerOn<
  S extends SchemaShape<S>,
  C extends CollectionName<S>,
  P extends HookPosition,
  T extends HookType,
> = (context: HookContextOn<S, C, P, T>) => unknown;

/** A hook with its types forgotten, as the compiler takes it. */
export type AnyHookHandler = (context: HookContext) => unknown;
