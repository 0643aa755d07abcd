import type { AggregateOperation, AggregateRow, DateBucket } from '../query/aggregation.ts';
import type { ConditionTree } from '../query/condition-tree.ts';
import type { Page, RecordData, SortClause } from '../query/record-query.ts';
import type { Caller } from './caller.ts';

/** The records that customization code selects: by a condition, and optionally a search, a segment, an order and a page. */
export interface ContextFilter {
  readonly conditionTree?: ConditionTree | undefined;
  readonly search?: string | undefined;
  readonly searchExtended?: boolean | undefined;
  readonly segment?: string | undefined;
  readonly sort?: readonly SortClause[] | undefined;
  readonly page?: Page | undefined;
}

/** The same for a write, which is of all of them. */
export type WriteFilter = Omit<ContextFilter, 'page'>;

/** A figure, and the groups that it is worked out for. */
export interface ContextAggregation {
  readonly operation: AggregateOperation;
  readonly field?: string | undefined;
  readonly groups?: readonly { readonly field: string; readonly operation?: DateBucket | undefined }[];
}

/**
 * A collection as customization code reads and writes it: every field under its original name, customizations included.
 * In hooks, write handlers and overrides of a write, writes take part in its transaction. Everywhere else, in actions above all,
 * each write is a transaction of its own, except for those of `inTransaction`. Hooks do not fire, so that a hook that writes does
 * not call itself.
 */
export interface ContextCollection {
  readonly name: string;
  list(filter: ContextFilter, projection: Iterable<string>): Promise<RecordData[]>;
  aggregate(filter: ContextFilter, aggregation: ContextAggregation, limit?: number): Promise<AggregateRow[]>;
  /** The created records, with every column. */
  create(records: readonly RecordData[]): Promise<RecordData[]>;
  /** How many records were changed. */
  update(filter: WriteFilter, patch: RecordData): Promise<number>;
  /** How many records were deleted. */
  delete(filter: WriteFilter): Promise<number>;
}

/** The collections to use inside a transaction. */
type TransactionContext = Pick<CustomizationContext, 'collection' | 'dataSource'>;

/** The context that every handler of a customization gets. */
export interface CustomizationContext {
  readonly caller: Caller;
  /** The collection the handler belongs to. */
  readonly collection: ContextCollection;
  readonly dataSource: ContextDataSource;
  /**
   * Run `work` in one transaction for each data source: committed when it resolves, rolled back when it rejects. What it reads
   * and writes goes through the context that it is given. In a handler of a write it is part of that write's transaction.
   *
   * @example await context.inTransaction(({ collection }) => collection.update(context.filter, { status: 'paid' }));
   */
  inTransaction<Result>(work: (inside: TransactionContext) => Result | Promise<Result>): Promise<Result>;
  /** Throws a `ValidationError`: the client is answered with 400 and the message. */
  throwValidationError(message: string): never;
  /** Throws a `ForbiddenError`: 403. */
  throwForbiddenError(message: string): never;
  /** Throws an `UnprocessableError`: 422. */
  throwError(message: string): never;
}

/** The collections, as customization code reads and writes them. */
export interface ContextDataSource {
  /** Throws `CUSTOMIZATION_FAILED` where there is no such collection. */
  getCollection(name: string): ContextCollection;
}
