import type { MaybePromise } from '#kernel/async/maybe-promise';
import type { CustomizationContext } from '../../customizer/customization-context.ts';
import type { CompiledCollection, ModelView } from '../../model/compiled-model.ts';
import type { SlowPatternWarning } from '../../model/slow-patterns.ts';
import type { AggregateRow, Aggregation } from '../../query/aggregation.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import type { Page, RecordData, SortClause } from '../../query/record-query.ts';
import type { CallContext } from '../calls/call-context.ts';

/** A query on a collection. Every path is in original names, and checked. */
export interface EngineQuery {
  readonly projection: readonly string[];
  readonly where?: ConditionTree | undefined;
  readonly sort?: readonly SortClause[] | undefined;
  readonly page?: Page | undefined;
  /** Conditions on records that follow one another in the order: the page is filled from the first, then from the next. */
  readonly stretches?: readonly ConditionTree[] | undefined;
}

/**
 * Carries out queries on customized collections: what the database can do is done there, the rest in bounded memory. It
 * asks for no rights and runs no hooks.
 */
export interface RecordEngine {
  /** Original names. */
  readonly model: ModelView;
  /** Told of the conditions that code makes while it runs. */
  readonly warnOfSlowPatterns: SlowPatternWarning;
  /** A collection that a checked path leads to. */
  collectionNamed(name: string): CompiledCollection;
  /** Records that hold `projection`, and perhaps more, relations nested in them. */
  list(collection: CompiledCollection, query: EngineQuery, call: CallContext): MaybePromise<RecordData[]>;
  count(collection: CompiledCollection, where: ConditionTree | undefined, call: CallContext): Promise<number>;
  aggregate(
    collection: CompiledCollection,
    where: ConditionTree | undefined,
    aggregation: Aggregation,
    limit: number | undefined,
    call: CallContext,
  ): Promise<AggregateRow[]>;
  /** The distinct values of the fields in the records that fulfil `where`, by identity. Values with a null are left out. */
  distinctKeys(
    collection: CompiledCollection,
    fields: readonly string[],
    where: ConditionTree | undefined,
    call: CallContext,
  ): Promise<ReadonlyMap<string, readonly unknown[]>>;
  /** The context of handlers of the collection. At the level `store` its collection is the database itself. */
  contextOf(collection: CompiledCollection, call: CallContext, level?: 'store'): CustomizationContext;
}
