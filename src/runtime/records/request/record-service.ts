import type { ContextDataSource, ContextFilter, CustomizationContext } from '../../customizer/customization-context.ts';
import type { CountSelected } from '../../permissions/action-run.ts';
import type { Aggregation } from '../../query/aggregation.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import type { Page, RecordData, SortClause } from '../../query/record-query.ts';
import type { CallContext } from '../calls/call-context.ts';
import type { NativeQuery } from '../read/native-query.ts';
import type { ExplainedQuery } from './explained-query.ts';
import type { LinkService, RelationEnd } from './link-service.ts';
import type { ListItem } from './list-item.ts';

/** What a surface (REST, MCP) asks for, in the published names. */
export interface RecordQuery {
  readonly collection: string;
  /** Columns, computed fields and paths `relation:column`. Default: every field, and every column of each to-one relation. */
  readonly projection?: readonly string[] | undefined;
  readonly where?: ConditionTree | undefined;
  readonly search?: string | undefined;
  readonly isSearchExtended?: boolean | undefined;
  readonly segment?: string | undefined;
  /** Only those that a query of the database finds. */
  readonly liveSegment?: NativeQuery | undefined;
  readonly sort?: readonly SortClause[] | undefined;
  readonly page?: Page | undefined;
  /** Only those that a to-many relation leads to from one record. */
  readonly relatedTo?: RelationEnd | undefined;
}

/** What is aggregated, in published names. */
export interface AggregateQuery {
  readonly collection: string;
  readonly where?: ConditionTree | undefined;
  readonly aggregation: Aggregation;
  /** How many groups at most. */
  readonly limit?: number | undefined;
  /** Only records that lead to these, as far as the caller may see them. */
  readonly among?: readonly LinkedRecords[] | undefined;
}

/** Records at the end of a to-one relation. */
export interface LinkedRecords {
  readonly relation: string;
  readonly where?: ConditionTree | undefined;
}

export interface AggregatedGroup {
  readonly value: unknown;
  /** One value for each group of the aggregation, in its order; `null` for none. */
  readonly groups: readonly unknown[];
}

/**
 * The only way from a surface to the data. Every method asks the authoriser first, adds the caller's scope, then plans
 * and executes. Errors: `REQUEST_INVALID`, `REQUEST_FIELD_UNKNOWN`, `REQUEST_FORBIDDEN`, `REQUEST_NOT_FOUND`,
 * `REQUEST_UNPROCESSABLE` and those of the database.
 */
export interface RecordService extends LinkService {
  /** Primary keys of every traversed collection are in the records even when not projected. */
  list(query: RecordQuery, context: CallContext): Promise<RecordData[]>;
  /** How `list` would be carried out, in original names. */
  explain(query: RecordQuery, context: CallContext): Promise<ExplainedQuery>;
  /**
   * All records of a query, in batches: browse and export. By primary key where the query has no sort.
   *
   * @param limit how many records at most.
   */
  exportRecords(
    query: Omit<RecordQuery, 'page'>,
    limit: number | undefined,
    context: CallContext,
  ): Promise<AsyncIterable<readonly RecordData[]>>;
  count(query: Omit<RecordQuery, 'projection' | 'sort' | 'page'>, context: CallContext): Promise<number>;
  /** Rows by value descending; their values are those of `AggregateRow`. */
  aggregate(query: AggregateQuery, context: CallContext): Promise<AggregatedGroup[]>;
  /** `REQUEST_NOT_FOUND` when absent or out of scope. `id` holds one value for each key column. */
  get(
    collection: string,
    id: readonly unknown[],
    projection: readonly string[] | undefined,
    context: CallContext,
  ): Promise<RecordData>;
  create(collection: string, attributes: RecordData, context: CallContext): Promise<RecordData>;
  /** The record after the update; `null` when there is none in scope. */
  update(
    collection: string,
    id: readonly unknown[],
    patch: RecordData,
    context: CallContext,
  ): Promise<RecordData | null>;
  /** `REQUEST_CONFLICT` when the list was changed in between; `REQUEST_NOT_FOUND` when there is no such record in scope. */
  updateListItem(place: ListItem, item: unknown, context: CallContext): Promise<void>;
  /** What handlers of a collection are called with on behalf of a request. */
  contextOf(collection: string, context: CallContext): CustomizationContext;
  /** The collections as handlers read and write them on behalf of a request. */
  dataSourceOf(context: CallContext): ContextDataSource;
  /** A filter in original names, the caller's scope in it, for handlers; the rights on its paths are asked for. */
  contextFilter(query: Omit<RecordQuery, 'projection' | 'sort' | 'page'>, context: CallContext): Promise<ContextFilter>;
  /** Counts records of a selection for the conditions of an action; the rights on its paths are asked for. No hooks run. */
  selectionCounter(query: Omit<RecordQuery, 'projection' | 'sort' | 'page'>, context: CallContext): CountSelected;
  /** How many were deleted. */
  delete(collection: string, where: ConditionTree | undefined, context: CallContext): Promise<number>;
}
