import type { ContextDataSource, ContextFilter, CustomizationContext } from '../../customizer/customization-context.ts';
import type { CountSelected, RightOnRecords } from '../../permissions/authoriser.ts';
import type { Aggregation } from '../../query/aggregation.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import type { Page, RecordData, SortClause } from '../../query/record-query.ts';
import type { CallContext, Unread, UnreadLater } from '../calls/call-context.ts';
import type { NativeQuery } from '../read/run-native-query.ts';
import type { ExplainedQuery } from './explain-query.ts';
import type { LinkService, RelationEnd } from './link-service.ts';
import type { PlannableList, PlannedQuery } from './planned-query.ts';
import type { CheckedRecord, WriteChecks } from './write-checks.ts';

/** A query of a surface (REST, MCP), in the published names. */
export interface RecordQuery {
  readonly collection: string;
  /** Columns, computed fields and paths `relation:column`. Default: every field, and every column of each to-one relation. */
  readonly projection?: readonly string[] | undefined;
  readonly where?: ConditionTree | undefined;
  /** Only the records of these keys: one value for each key column, checked when the key was unpacked. */
  readonly keys?: readonly (readonly unknown[])[] | undefined;
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

/** Where a list goes on. */
export interface PlaceInList {
  /** How many records come before. */
  readonly skip: number;
  /** The values of the last record before, by which the database finds those behind it; absent where they have to be counted. */
  readonly values?: readonly unknown[] | undefined;
}

/** A page of a list, from a place on. */
export interface PageQuery extends Omit<RecordQuery, 'page'> {
  readonly size: number;
  /** Default: the beginning. */
  readonly after: PlaceInList | undefined;
}

interface PageOfRecords {
  readonly records: RecordData[];
  /** Whether others come behind it. */
  readonly hasMore: boolean;
  /** Where the list goes on behind the first records of the page, at least one of them. */
  placeBehind(records: number): Promise<PlaceInList>;
}

/** A selection of records, without a projection. */
export type SelectionQuery = Omit<RecordQuery, 'projection' | 'sort' | 'page'>;

/** A request that is read once the right to its collection is known: its errors tell what the collection looks like. */
interface UnreadQuery<Query> {
  readonly collection: string;
  read(): Query;
}

/** The aggregation, in published names. */
export interface GroupQuery
  extends Pick<RecordQuery, 'collection' | 'where' | 'search' | 'isSearchExtended' | 'segment'> {
  readonly aggregation: Aggregation;
  /** How many groups at most. */
  readonly limit?: number | undefined;
  /** Only records that lead to these, as far as the caller may see them. */
  readonly among?: readonly LinkedRecords[] | undefined;
}

/** A record that was created, and the keys of the records that hold its key now, by relation. */
export interface CreatedRecord {
  readonly record: RecordData;
  readonly holders: Readonly<Record<string, RecordData>>;
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
export interface RecordService extends LinkService, WriteChecks, RecordImport {
  /**
   * Asks for the right to browse. Primary keys of every traversed collection are in the records even when not projected.
   */
  list(query: RecordQuery | UnreadQuery<RecordQuery | PlannedQuery>, context: CallContext): Promise<RecordData[]>;
  /**
   * A page of a list, and where the next one begins. Asks for the right to browse. Where the database can compare the fields
   * of the sort, each page costs the same however many came before it. Records that come or go meanwhile neither repeat nor hide others then.
   */
  page(query: UnreadQuery<PageQuery>, context: CallContext): Promise<PageOfRecords>;
  /**
   * Plan a list, or find its plan from before; `list` takes the result. Throws what `list` throws for names that are not there
   * and for values that do not fit.
   */
  planList(list: PlannableList): PlannedQuery;
  /** How `list` would be carried out, in original names. */
  explain(query: RecordQuery | UnreadQuery<RecordQuery>, context: CallContext): Promise<ExplainedQuery>;
  /**
   * All records of a query, in batches. Asks for the rights to browse and to export. By primary key where the query has no
   * sort.
   *
   * @param limit how many records at most.
   */
  exportRecords(
    query: Omit<RecordQuery, 'page'> | UnreadQuery<Omit<RecordQuery, 'page'>>,
    limit: number | undefined,
    context: CallContext,
  ): Promise<AsyncIterable<readonly RecordData[]>>;
  /** Asks for the right to browse. */
  count(query: SelectionQuery | UnreadQuery<SelectionQuery>, context: CallContext): Promise<number>;
  /** Asks for the right to browse. Rows by value descending; their values are those of `AggregateRow`. */
  aggregate(query: GroupQuery | UnreadQuery<GroupQuery>, context: CallContext): Promise<AggregatedGroup[]>;
  /** Asks for the right to read. `REQUEST_NOT_FOUND` when absent or out of scope. `id` holds one value for each key column. */
  get(
    collection: string,
    id: Unread<readonly unknown[]>,
    projection: Unread<readonly string[] | undefined>,
    context: CallContext,
  ): Promise<RecordData>;
  /**
   * Asks for the right to add, and to edit the collections of records that will hold the key of the new one. All of it is
   * written, or nothing.
   */
  createLinked(collection: string, record: Unread<NewRecord>, context: CallContext): Promise<CreatedRecord>;
  /** Check what `createLinked` would be given, and ask for its rights. Records that the new one is linked to are not looked at. */
  checkCreateLinked(collection: string, record: Unread<NewRecord>, context: CallContext): Promise<CheckedRecord>;
  /** Asks for the right to add. */
  create(collection: string, attributes: Unread<RecordData>, context: CallContext): Promise<RecordData>;
  /**
   * Asks for the right to edit. The record after the update; `null` when there is none in scope.
   *
   * @param ifMatch values that the record must still have when it is written, by field; asks for the right to read. Rejects with
   * `RECORD_CHANGED`.
   */
  update(
    collection: string,
    id: Unread<readonly unknown[]>,
    patch: Unread<RecordData>,
    context: CallContext,
    ifMatch?: Unread<RecordData>,
  ): Promise<RecordData | null>;
  /** As `update`, and where relations lead that the record itself holds. All of it is one write. */
  updateLinked(
    collection: string,
    id: Unread<readonly unknown[]>,
    patch: Unread<LinkedPatch>,
    context: CallContext,
    ifMatch?: Unread<RecordData>,
  ): Promise<RecordData | null>;
  /** Check what `updateLinked` would be given, as `checkUpdate` does. */
  checkUpdateLinked(
    collection: string,
    id: Unread<readonly unknown[]>,
    patch: Unread<LinkedPatch>,
    context: CallContext,
    ifMatch?: Unread<RecordData>,
  ): ReturnType<WriteChecks['checkUpdate']>;
  /** Asks for the right to edit. `REQUEST_CONFLICT` when the list was changed in between; `REQUEST_NOT_FOUND` when there is no such record in scope. */
  updateListItem(place: ListItem, item: unknown, context: CallContext): Promise<void>;
  /** The context of a collection's handlers for a request. */
  contextOf(collection: string, context: CallContext): CustomizationContext;
  /** The collections as handlers read and write them on behalf of a request. */
  dataSourceOf(context: CallContext): ContextDataSource;
  /** A filter in original names, the scope of the caller's right in it, for handlers; the rights on its paths are asked for. */
  contextFilter(query: SelectionQuery, right: RightOnRecords, context: CallContext): Promise<ContextFilter>;
  /** Packed ids of all records of a filter that `contextFilter` made, for a report. No hooks run. `undefined` without a key. */
  selectedIds(collection: string, filter: ContextFilter, context: CallContext): Promise<readonly string[] | undefined>;
  /** Counts records of a selection for the conditions of an action; the rights on its paths are asked for. No hooks run. */
  selectionCounter(query: SelectionQuery, right: RightOnRecords, context: CallContext): CountSelected;
  /**
   * Asks for the right to delete. How many were deleted.
   *
   * @param ifMatch as for `update`, of every record; where one has changed, none is deleted.
   */
  delete(
    collection: string,
    where: UnreadLater<ConditionTree | undefined>,
    context: CallContext,
    ifMatch?: Unread<RecordData>,
  ): Promise<number>;
  /**
   * Asks for the right to read, and for the record in its scope. The history of a deleted record is for whoever has no scope, or one that
   * its last values meet. `REQUEST_NOT_FOUND` for anybody else.
   *
   * @param lastValues what the record was when it was deleted, in original names; `undefined` where nobody knows.
   */
  requireHistory(
    collection: string,
    id: Unread<readonly unknown[]>,
    lastValues: () => Promise<RecordData | undefined>,
    context: CallContext,
  ): Promise<void>;
  /**
   * Which of these records the caller may read, by packed id; those that are marked as deleted are among them. Asks for the right to read.
   * An id that no record can have is left out.
   */
  readable(collection: string, ids: readonly string[], context: CallContext): Promise<ReadonlySet<string>>;
  /** Take back that a record was deleted. Asks for the right to delete. `REQUEST_NOT_FOUND` when no deleted one is in scope. */
  restore(collection: string, id: Unread<readonly unknown[]>, context: CallContext): Promise<void>;
}

/** One item of a list in a column of one record, in published names. */
export interface ListItem {
  readonly collection: string;
  readonly id: readonly unknown[];
  readonly column: string;
  /** From 0; as many as there are items for a new one behind the last. */
  readonly index: number;
}

/** A record to create, and what it is linked to; published names. */
export interface NewRecord {
  /** Columns to write. */
  readonly attributes: RecordData;
  /** The columns of links, as far as the ids of the linked records tell them; `attributes` wins where both name a column. */
  readonly foreignKeys: RecordData;
  /** Records that it leads to by other columns than their keys; these win over `foreignKeys`. */
  readonly references: readonly LinkedRecord[];
  /** Records that hold the key of the new one, to be linked once it is there. */
  readonly holders: readonly LinkedRecord[];
}

/** The columns of an update, and the relations that it writes. */
export type LinkedPatch = Omit<NewRecord, 'holders'>;

/** The record at the other end of a to-one relation. */
export interface LinkedRecord {
  readonly relation: string;
  readonly collection: string;
  readonly key: RecordData;
  /** The values of the key. */
  readonly id: readonly unknown[];
}

/** A record of a file. */
interface FiledRecord {
  /** Its place in the file, by which errors name it. */
  readonly line: number;
  /** What people call the records that relations lead to, by relation. */
  readonly titles: Readonly<Record<string, string>>;
  /** @param ids of the records that the titles name, by relation. */
  readonly record: (ids: Readonly<Record<string, string>>) => NewRecord;
}

export interface RecordsToImport {
  /** `all` of them or none; `parts`: each by itself. */
  readonly mode: 'all' | 'parts';
  readonly records: readonly FiledRecord[];
}

/** Why a record was not written; without a line where nobody knows which one it was. */
export interface RefusedRecord {
  readonly line: number | undefined;
  readonly error: unknown;
}

export interface ImportOutcome {
  /** How many were created, or would be. */
  readonly created: number;
  /** Packed ids of the first hundred that were created; none of a check. */
  readonly ids?: readonly string[];
  readonly refused: readonly RefusedRecord[];
  /** Whether the rest was left because half of the time was up: it may be sent again. */
  readonly isTimeUp?: boolean;
  /** Fields without a value that the database demands, unless hooks or handlers give one. Only of a check. */
  readonly missing: readonly string[];
}

/** Creates the records of a file. The imports of one person take turns. */
export interface RecordImport {
  /**
   * Asks for the rights of `createLinked`, and creates each record as that does. With `all`, every record is checked before the
   * first is written.
   *
   * @throws `REQUEST_UNPROCESSABLE` for `all` where writes cannot be taken back.
   */
  importRecords(collection: string, asked: Unread<RecordsToImport>, context: CallContext): Promise<ImportOutcome>;
  /** The same checks, and nothing is written. */
  checkImport(collection: string, asked: Unread<RecordsToImport>, context: CallContext): Promise<ImportOutcome>;
}
