import type { RawBuilder } from 'kysely';
import type { SqlParameter, SqlRow, SqlValue } from '#kernel/ports/sql-row';
import type { AggregateOperation, DateBucket } from '../../query/aggregation.ts';
import type { CollectionSchema, ColumnSchema } from '../../query/collection-schema.ts';
import type { ColumnType } from '../../query/column-type.ts';
import type { DocumentTree } from '../../query/document-change.ts';
import type { Operator } from '../../query/operators.ts';
import type { RecordData } from '../../query/record-query.ts';
import type { PlannedIndex } from '../interface/data-source.ts';
import type { SqlExpressions } from './sql-expressions.ts';
import type { BindContext, Paging, SqlBinding } from './statement-parameters.ts';

export type Sql = RawBuilder<unknown>;

/** SQL text, and how each of its parameters is had from a query of its shape. */
export interface CompiledSql {
  readonly sql: string;
  readonly parameters: readonly SqlBinding[];
}

/** A condition to write as SQL. */
export interface LeafInput {
  readonly column: ColumnSchema;
  /** The column, qualified by its table. */
  readonly reference: Sql;
  readonly operator: Operator;
  /** The variant of the value, from `variantOf`. */
  readonly variant: string;
  /** Position of the value in `BindContext.values`. */
  readonly index: number;
}

/** A column that a write sets; the name is bare, without its table. */
interface Assignment {
  readonly column: Sql;
  readonly value: Sql;
}

/** How an engine changes rows, where the standard form does not do. */
export interface WriteStatements {
  /** `from` is the table as `t0` and whatever it is joined with; `where` begins with that word, or is empty. */
  update(from: Sql, assignments: readonly Assignment[], where: Sql): Sql;
  delete(from: Sql, where: Sql): Sql;
  /** A condition of a write that also looks at related records and at computed columns, where the engine needs another form. */
  guarded?(condition: Sql): Sql;
}

/** How a table comes to the keys of its new rows, where an INSERT does not return them. */
export interface KeyRules {
  /** Whether what was written is undone when its transaction fails. */
  readonly isUndone: boolean;
  /** Whether a trigger may change a key that a record gives. */
  readonly mayChange: boolean;
  /**
   * The record with the key that its row will have, except for a number that the database counts.
   *
   * @throws `DATABASE_CREATED_KEY_UNKNOWN` where that is not known, before anything is written.
   */
  withKey(record: RecordData): Promise<RecordData>;
  /** The part of the key that the database has counted, out of the number that the driver tells. */
  counted(number: SqlValue): RecordData;
  /** A key as its columns keep it: without the digits and trailing blanks that these do not hold. */
  stored(key: RecordData): Promise<RecordData>;
}

/** The texts in which values of `orderKey` are kept outside of the database. */
export interface OrderPlaces {
  /** The text of a key, exact to its last digit; null for null. */
  textOf(column: ColumnSchema, reference: Sql): Sql;
  /** The value of such a text. */
  valueOf(column: ColumnSchema, text: TextInQuery): Sql;
  /**
   * Makes the value that the bare column is compared with in the order of an index. `undefined` where only `orderKey` can be
   * compared, and is ordered by.
   */
  ofIndex(column: ColumnSchema): ((text: TextInQuery) => Sql) | undefined;
}

type TextInQuery = (context: BindContext) => string;

/** What an engine says of indexes. */
export interface IndexDialect {
  /** How a statement begins that creates one while others write. */
  readonly create: string;
  /** How many characters of a column an index holds, where it does not hold all of them. */
  prefixLength?(column: ColumnSchema): number | undefined;
  /** The indexes of a table that serve all of its rows: `name`, `column` and `isByBytes` (1 or 0), a row for each column in order. */
  listed(collection: CollectionSchema): Sql;
  /** Plans a statement for any values, now and with an index that `create` would make. Absent where the engine only explains. */
  plan?(transaction: SqlTransaction, statement: string, create: string): Promise<PlannedIndex>;
  /** Why there is no estimate, without `plan`. */
  readonly note?: string;
}

/** Why a server may have refused a value: what is known not to fit, nothing, or what only the server can tell. */
export type Refusal = { readonly problem: string } | 'none' | 'unknown';

/** The differences between SQL engines. */
export interface SqlDialect {
  /** The operators that a column of the type can be filtered by in the database. */
  operatorsOf(type: ColumnType): ReadonlySet<Operator>;
  /** The part of a value that changes the text of its condition, for instance that a list holds `null`. */
  variantOf(operator: Operator, value: unknown): string;
  /** Whether `variantOf` looks into single values that are not null. Default: it does. */
  looksIntoValue?(operator: Operator): boolean;
  condition(leaf: LeafInput): Sql;
  /** How a stored value is read. */
  decoderOf(column: ColumnSchema): (stored: SqlValue) => unknown;
  /** How a value is stored; it has been validated. */
  encode(column: ColumnSchema, value: unknown): SqlValue;
  /** Asked of the values of a write that was refused. Absent where the server names the column. */
  refusalOf?(column: ColumnSchema, value: unknown): Refusal;
  /** The expression that a write stores for a bound value, where it is not the parameter itself. */
  stored?(column: ColumnSchema, parameter: Sql): Sql;
  /** What an update assigns, where that depends on what is there. The column is `t0`'s. */
  assigned?(column: ColumnSchema, reference: Sql, value: Sql): Sql;
  /** What a column is ordered by: texts by code point. */
  orderKey(column: ColumnSchema, reference: Sql): Sql;
  /** A clause of `order by`: nulls before all values when ascending. */
  orderBy(column: ColumnSchema, reference: Sql, isAscending: boolean): Sql;
  /** How a value of `orderKey` is written down, and compared with later. */
  readonly places: OrderPlaces;
  readonly paging: Paging;
  /** The expression of one aggregate. */
  aggregate(operation: AggregateOperation, column: ColumnSchema | undefined, reference: Sql | undefined): Sql;
  /** The expression that orders groups, where the aggregate itself does not sort as a number: exact ones may be texts. */
  aggregateRank?(operation: AggregateOperation, column: ColumnSchema | undefined, value: Sql): Sql;
  /** How the value of an aggregate is read. */
  aggregateDecoder(operation: AggregateOperation, column: ColumnSchema | undefined): (stored: SqlValue) => unknown;
  /** The first day of the stretch that a Date or Dateonly is in, as `YYYY-MM-DD`, in the time zone of `BindContext.now()`. */
  bucket(column: ColumnSchema, reference: Sql, bucket: DateBucket): Sql;
  readonly expressions: SqlExpressions;
  /** The document with some of its values changed; `valueAt` is the JSON of the one at a position of the tree. */
  changedDocument(column: ColumnSchema, document: Sql, tree: DocumentTree, valueAt: (position: number) => Sql): Sql;
  /** The text of an INSERT without any column, after the table. */
  readonly insertDefaults: Sql;
  /** How an INSERT gives the numbers of a key itself which the database would count. Absent where it needs nothing of its own. */
  readonly givenNumbers?: {
    /** What stands between the columns and the values. */
    readonly clause: Sql;
    /** A query after which the database counts on behind the highest number. */
    countOn(collection: CollectionSchema, column: string): Sql;
  };
  /** How the row that a trigger moved while a transaction created it is found again. Absent where triggers move none. */
  readonly movedRows?: {
    /** The number that the database gave the key last, in this session. */
    lastNumber(collection: CollectionSchema, column: string): Sql;
    /** Whether the transaction itself has made the row. */
    readonly isNew: Sql;
  };
  /**
   * How a table comes to the keys of its rows, asked in the transaction that creates them. Given where an INSERT may not return
   * its rows; `undefined` where it does.
   */
  keyRules?(transaction: SqlTransaction, collection: CollectionSchema): Promise<KeyRules | undefined>;
  /** Whether an INSERT returns the rows it created, if the rights of the user allow it; otherwise they are read again by their key, as `keyRules` says. */
  readonly returnsCreated: boolean;
  /** What stands behind a read whose rows stay as they are until the transaction ends; nothing where writers wait for one another. */
  readonly rowLock: Sql;
  /** Whether UPDATE and DELETE return the rows they changed; otherwise these are read and locked before. */
  readonly returnsWritten: boolean;
  /**
   * How many rows one statement of a write changes at most, where the database runs in the thread that serves. A write of more takes
   * several, and others have their turn in between. Absent where a server carries statements out.
   */
  readonly rowsAtOnce?: number;
  /** Exports read values as `KeptValue` where what is shown does not tell how they are stored, and writes take them. */
  readonly keepsValues?: boolean;
  /** The expression that a read selects for a column, where it is not the column itself. */
  selection?(column: ColumnSchema, reference: Sql): Sql;
  /** A text that is the same for two values of a column exactly when they are stored the same; null for null. */
  storedForm(column: ColumnSchema, reference: Sql): Sql;
  /** The expression that groups a column, where values that differ in the column look equal in records. */
  groupKey?(column: ColumnSchema, reference: Sql): Sql;
  /**
   * The join to the one row of a table with child tables that a record refers to: `on` may be true of rows of several tables.
   * Needed where `hasChildTables` is set.
   */
  joinToOne?(collection: CollectionSchema, alias: string, on: Sql): Sql;
  /** A column of a relation as it is compared with the one on the other side, where that is not the column itself. */
  joined?(column: ColumnSchema, reference: Sql): Sql;
  /** The column of a relation that refers as it is compared with the one that it refers to, where `joined` does not do. */
  referring?(column: ColumnSchema, reference: Sql, referred: ColumnSchema): Sql;
  /** Given, conditions behind relations reach a write as joins and not as a sub-query of keys. */
  readonly writeStatements?: WriteStatements;
  /** The prefix that asks for the plan of a statement, and a line of the answer as text. */
  readonly explain: { readonly prefix: string; stepOf(row: SqlRow): string };
  readonly indexes: IndexDialect;
  compile(query: Sql): CompiledSql;
}

/** A connection in the middle of a transaction. */
export interface SqlTransaction {
  /** Carry out a statement that returns rows. */
  all(sql: string, parameters: readonly SqlParameter[]): Promise<readonly SqlRow[]>;
  /** Carry out a statement that does not; how many rows it changed. */
  run(sql: string, parameters: readonly SqlParameter[]): Promise<number>;
  /** Carry out an INSERT of one row; the number that it got where one is counted. Given where the dialect has `keyRules`. */
  insert?(sql: string, parameters: readonly SqlParameter[]): Promise<SqlValue>;
}
