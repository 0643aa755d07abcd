import type { SqlRow, SqlValue } from '#kernel/ports/sql-row';
import type { AggregateRow, Aggregation } from '../../query/aggregation.ts';
import type { CollectionSchema, ColumnType, InstantForm, Timestamps } from '../../query/collection-schema.ts';
import type { ConditionTemplate } from '../../query/condition-template.ts';
import type { ConditionTree } from '../../query/condition-tree.ts';
import type { Operator } from '../../query/operators.ts';
import type { ListQuery, Page, RecordData, SortClause } from '../../query/record-query.ts';
import type { StoredForm, StoredPlace } from '../../query/stored-form.ts';
import type { RowCheck } from '../checks/row-check.ts';
import type { ReadSession, ReplicatedDatabase } from './read-session.ts';

/** `only` the deleted records, or all `with` the deleted ones. */
export type DeletedChoice = 'only' | 'with';

/** What a query depends on beside what it asks for. */
export interface QueryContext {
  /** IANA time zone the relative date operators are computed in. */
  readonly timezone: string;
  readonly signal?: AbortSignal | undefined;
  /** Which deleted records of the queried collection to show, where deletion marks records. Default: none. */
  readonly deleted?: DeletedChoice | undefined;
  /** What the request has to see, where it may be read from a replica. Default: only the primary will do. */
  readonly reads?: ReadSession | undefined;
}

/** A statement, and what the database says it would do for it. */
export interface QueryPlan {
  readonly sql: string;
  /** In the words of the database, a step a line. */
  readonly steps: readonly string[];
  /** Who answers such a read, where the database has replicas; one sentence each. */
  readonly servers?: readonly string[];
}

/** What a planner would do for a list now, and the cost that it estimates without and with an index. */
export interface PlannedIndex {
  /** In the words of the database, a step a line, without values. */
  readonly plan: readonly string[];
  readonly estimate?: { readonly costNow: number; readonly costThen: number };
  /** Why there is no estimate. */
  readonly note?: string;
}

/** An index that a list would be served by, and that its table lacks. */
export interface IndexAdvice extends PlannedIndex {
  readonly columns: readonly string[];
  /** The statement that creates it. */
  readonly statement: string;
}

/** A query for figures of groups of records, after planning. Everything in it runs in the database. */
export interface AggregateQuery {
  readonly collection: string;
  readonly where?: ConditionTree | undefined;
  readonly aggregation: Aggregation;
  readonly limit?: number | undefined;
}

/** A list query whose values and page are left open. */
export interface ListTemplate {
  readonly collection: string;
  /** Columns and paths `relation:column` to fetch. */
  readonly projection: readonly string[];
  readonly where?: ConditionTemplate | undefined;
  readonly sort: readonly SortClause[];
}

/** Reads a page of a prepared list. `values` are those of the template's condition, in its order. */
export type PreparedList = (
  values: readonly unknown[],
  page: Page | undefined,
  context: QueryContext,
) => Promise<RecordData[]>;

/** Columns of a record, and how each of them is stored: `undefined` where it is null. */
export interface StoredRecord {
  readonly record: RecordData;
  readonly forms: readonly (StoredForm | undefined)[];
}

/** Records, read natively; every method takes a constant number of statements. */
export interface ReadableStore {
  list(query: ListQuery, context: QueryContext): Promise<RecordData[]>;
  count(collection: string, where: ConditionTree | undefined, context: QueryContext): Promise<number>;
  /**
   * Some columns of records, with the form in which each is stored: a condition of a write compares that form exactly. Without it
   * such a condition compares values.
   */
  listStored?(
    collection: string,
    columns: readonly string[],
    where: ConditionTree | undefined,
    context: QueryContext,
  ): Promise<StoredRecord[]>;
  /**
   * Where records stand in the orders of some columns and paths `relation:column`, one place for each. Conditions take such a place
   * with the operators `Equal`, `NotEqual`, `LessThan`, `GreaterThan` and their kind. Without it only values can be compared.
   */
  listPlaces?(
    collection: string,
    paths: readonly string[],
    where: ConditionTree | undefined,
    context: QueryContext,
  ): Promise<StoredPlace[][]>;
  /** Groups by their value descending, nulls last, then by what they are grouped by; at most `limit` of them. */
  aggregate(query: AggregateQuery, context: QueryContext): Promise<AggregateRow[]>;
}

/** Gets the primary keys of records that a write has changed; of many records in several calls, perhaps. */
export type TellKeys = (keys: readonly RecordData[]) => void;

/** Records, read and written natively; every method takes a constant number of statements. */
export interface RecordStore extends ReadableStore {
  /** Whether lists and aggregations take `shownWhere`. Without it the agent reads records and hides values itself. */
  readonly hidesValues?: boolean;
  /** Whether `update` and `delete` tell the keys of what they change. Without it the agent reads the keys before. */
  readonly tellsKeys?: boolean;
  /**
   * Whether the statement that writes returns the keys, as they are after it: then they cost nothing. Otherwise they are those
   * before the write, which takes a statement of its own.
   */
  readonly returnsKeys?: boolean;
  /** Plan a list once, to ask for it often. Without it the store is asked by `list` each time. */
  prepareList?(template: ListTemplate): PreparedList;
  /**
   * Columns of the records with these keys, which stay as they are until the transaction ends. Without it, what `list` reads may have
   * changed when a write follows.
   */
  listLocked?(
    collection: string,
    columns: readonly string[],
    keys: ConditionTree,
    context: QueryContext,
  ): Promise<RecordData[]>;
  /** The created records, with every column; all of them or none. */
  create(collection: string, records: readonly RecordData[], context: QueryContext): Promise<RecordData[]>;
  /**
   * How many records were changed. Conditions on the old values make the check of an optimistic lock.
   *
   * @param tell gets the keys of exactly those, where `tellsKeys` says so; the collection has a primary key.
   */
  update(
    collection: string,
    where: ConditionTree | undefined,
    patch: RecordData,
    context: QueryContext,
    tell?: TellKeys,
  ): Promise<number>;
  /**
   * How many records were deleted; where the collection says so they are marked and hidden.
   *
   * @param tell gets the keys of exactly those, where `tellsKeys` says so; the collection has a primary key.
   */
  delete(collection: string, where: ConditionTree | undefined, context: QueryContext, tell?: TellKeys): Promise<number>;
}

/** Records, and transactions on them. */
export interface TransactionalStore extends RecordStore {
  /**
   * Run `work` in one transaction: committed when it resolves, rolled back when it rejects. Only what goes through the store
   * it is given belongs to it; anything else would wait for it, or not see it.
   */
  transaction<Result>(work: (store: RecordStore) => Promise<Result>, context: QueryContext): Promise<Result>;
  /** How the database would carry out a `list`; not part of what an agent serves. */
  explain?(query: ListQuery, context: QueryContext): Promise<QueryPlan>;
  /** The index that a `list` lacks, if there is one; not part of what an agent serves. Reads the catalogue and plans, and creates nothing. */
  adviseIndex?(query: ListQuery, context: QueryContext): Promise<IndexAdvice | undefined>;
}

/** Settings of a data source by table, empty where there is nothing to suggest. */
export interface SuggestedSettings {
  readonly softDelete: Readonly<Record<string, string>>;
  readonly timestamps: Readonly<Record<string, Timestamps>>;
  /** What a sample says that numbers of instants stand for. Absent where there are none. */
  readonly instants?: Readonly<Record<string, Readonly<Record<string, InstantForm>>>>;
  /** The best guess where a sample says several things. */
  readonly unclearInstants?: Readonly<Record<string, Readonly<Record<string, InstantForm | 'texts'>>>>;
}

/** What a table refuses beside values of other types and keys that lead nowhere. */
export interface TableRules {
  /** Sets of columns whose values differ from record to record, the primary key first. */
  readonly uniqueKeys: readonly (readonly string[])[];
  readonly checks: readonly RowCheck[];
}

/** A database, as the planner sees it. */
export interface DataSource extends TransactionalStore {
  /** In catalogue order. Fixed for the life of the data source. */
  readonly collections: readonly CollectionSchema[];
  /** The parts of the database that were left out, and why, in sentences for the log. */
  readonly warnings?: readonly string[];
  /** Settings that its columns suggest, for tables without any. */
  readonly suggestedSettings?: SuggestedSettings;
  /**
   * The same records with what the database does not declare: `collections` are its own, with relations and columns of
   * expressions added. Paths through the relations run as joins, expressions are worked out by the database, and updates
   * take a `DocumentChange`. Without it all of that is done outside of the database.
   */
  extendedBy?(collections: readonly CollectionSchema[]): TransactionalStore;
  /**
   * The operators that the database has for an expression of the type; without this method the agent works out expressions.
   */
  operatorsOf?(type: ColumnType): ReadonlySet<Operator>;
  /** Names under which native queries can be run on the database; none unless it was asked for. */
  readonly nativeQueryConnections?: readonly string[];
  /** Run one reading statement, `$name` in it bound to a value; the database itself keeps it from writing. */
  nativeQuery?(
    sql: string,
    values: Readonly<Record<string, SqlValue>>,
    context: QueryContext,
  ): Promise<readonly SqlRow[]>;
  /**
   * `tell` gets sentences for the log about what shows while the data source is in use. Examples are a table that is no longer
   * what `collections` says, and a record that cannot be read whole.
   */
  onNotice?(tell: (sentence: string) => void): void;
  /**
   * A sentence about the time zones for which the database has other rules than Node.js, where there are any. It takes a
   * moment, and is for somebody who looks whether all is well.
   */
  zoneWarning?(): Promise<string | undefined>;
  /**
   * What the tables refuse, by the names of their collections, for those who make records: it is read again, and no part of what an
   * agent knows.
   */
  rules?(): Promise<ReadonlyMap<string, TableRules>>;
  /** Its writes take a `KeptValue`, which its exports have. */
  readonly keepsValues?: boolean;
  /** Text that changes when the tables, columns or keys of the database do. */
  fingerprint(): Promise<string>;
  /** The replicas that reads may go to, where there are any. */
  readonly replicas?: ReplicatedDatabase;
  /** How many connections are open now. */
  openConnections(): number;
  close(): Promise<void>;
}

/** Makes a data source when the agent starts: `createSqlDataSource(…)` returns one. */
export type DataSourceFactory = () => Promise<DataSource>;
