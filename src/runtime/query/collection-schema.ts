import type { ColumnType } from './column-type.ts';
import type { Expression } from './expression.ts';
import type { Operator } from './operators.ts';

export type { ColumnType } from './column-type.ts';

/** What a number stands for that is an instant: since 1970, or days since the year -4713. */
export type InstantForm = 'milliseconds' | 'seconds' | 'julianDays';

/** A way to write a field: in a change of a record, or in a new record. */
export type WrittenBy = 'edit' | 'add';

/** A kind of write to a collection. */
export type WriteKind = WrittenBy | 'delete';

/** A column of a collection. */
export interface ColumnSchema {
  readonly kind: 'column';
  readonly name: string;
  readonly type: ColumnType;
  /** The type as the database names it. */
  readonly nativeType: string;
  readonly isPrimaryKey: boolean;
  readonly isNullable: boolean;
  /** Records may hold null, and the database takes none any more. */
  readonly refusesNull?: boolean;
  readonly isReadOnly: boolean;
  /** The only way in which it may be written: as a part of a change, or of a new record. */
  readonly writtenBy?: WrittenBy;
  readonly isSortable: boolean;
  readonly isGroupable: boolean;
  /** A Number whose values do not fit a JS number (decimal, bigint): strings on the wire, in records and in handlers. */
  readonly isExact: boolean;
  /** Digits after the point of an exact number, where every value has as many. */
  readonly scale?: number;
  /** How the database keeps an instant as a number, where it does. */
  readonly instantForm?: InstantForm;
  /** A sample holds numbers of several kinds, or texts beside numbers. */
  readonly isInstantUnclear?: boolean;
  /** Dates may be `infinity` and `-infinity`, after and before all others; numbers `Infinity`, `-Infinity` and `NaN`. All are texts. */
  readonly hasInfinity?: boolean;
  /** Times are durations as well, from -838:59:59 to 838:59:59: those of MariaDB and MySQL. */
  readonly isDuration?: boolean;
  /**
   * For copies: records show every digit of an instant that a server keeps, and not milliseconds, as keys always do. The document
   * `null` is `nullDocument`.
   */
  readonly hasEveryDigit?: boolean;
  readonly operators: ReadonlySet<Operator>;
  readonly enumValues?: readonly string[];
  readonly defaultValue?: unknown;
  /** The database fills the column when a created record leaves it out. */
  readonly hasDefault: boolean;
  /**
   * The database works the value out whenever it is read, and may fail for one record: a virtual column, or one of a view.
   */
  readonly isWorkedOut?: boolean;
  /** The database makes every value, and keeps it or not: a generated column. */
  readonly isGenerated?: boolean;
  /** Its texts are files: data URIs, or addresses of files. */
  readonly isFile?: boolean;
  /** No column of a table: worked out of others when it is read, and never written. */
  readonly expression?: Expression;
}

/** Columns that are equal on both sides of a relation; one pair for each part of a composite key. */
export type JoinPairs = readonly { readonly local: string; readonly foreign: string }[];

/** What the database does with the records that a foreign key leads from, when the record is deleted that it leads to. */
export type DeletionRule = 'cascade' | 'unlink' | 'refuse';

export interface ToOneRelation {
  /** The key is here (ManyToOne), or there and unique (OneToOne). */
  readonly kind: 'ManyToOne' | 'OneToOne';
  readonly name: string;
  readonly foreignCollection: string;
  readonly join: JoinPairs;
  /** Of the foreign key there, where it is there. */
  readonly onDelete?: DeletionRule;
}

export interface OneToManyRelation {
  readonly kind: 'OneToMany';
  readonly name: string;
  readonly foreignCollection: string;
  readonly join: JoinPairs;
  readonly onDelete?: DeletionRule;
}

export interface ManyToManyRelation {
  readonly kind: 'ManyToMany';
  readonly name: string;
  readonly foreignCollection: string;
  readonly throughCollection: string;
  /** From here (`local`) to the through collection (`foreign`). */
  readonly originJoin: JoinPairs;
  /** From the through collection (`local`) to the foreign collection (`foreign`). */
  readonly foreignJoin: JoinPairs;
}

/** A relation to records of a collection. */
export type RelationSchema = ToOneRelation | OneToManyRelation | ManyToManyRelation;
/** A column or a relation. */
export type FieldSchema = ColumnSchema | RelationSchema;

/** A table as SQL names it. */
export interface TableName {
  readonly schema?: string;
  readonly name: string;
}

/** How deletion marks a record instead of removing it. */
interface SoftDelete {
  /** The column that takes the time of the deletion; null in records that are there. */
  readonly column: string;
}

/** Columns that take the time at which a record is written. */
export interface Timestamps {
  /** Filled when a record is created. */
  readonly created?: string | undefined;
  /** Filled when a record is created, and at every change. */
  readonly updated?: string | undefined;
}

/** A table or view, as a data source describes it. */
export interface CollectionSchema {
  readonly name: string;
  /** The table of the records in a SQL database. Default: the one with the name of the collection. */
  readonly table?: TableName;
  readonly comment?: string;
  /** Rows of other tables count as its own, so that its keys are unique in each table only. */
  readonly hasChildTables?: boolean;
  /** Rows with different keys may have one id, whatever the database keeps unique. */
  readonly hasLooseKey?: boolean;
  /** A column of its key may be NULL. */
  readonly mayLackKey?: boolean;
  /** Triggers run before a row is updated or deleted: they may change its key, or keep it as it is. */
  readonly hasWriteTriggers?: boolean;
  /** Triggers or rules replace a deletion: they may mark the row, and keep it. */
  readonly hasDeleteTriggers?: boolean;
  /** Triggers run after a row was inserted, and may change it. */
  readonly hasInsertTriggers?: boolean;
  /** Its writes cannot be rolled back. */
  readonly hasNoTransactions?: boolean;
  /** No key, or a view: nothing can be written. */
  readonly isReadOnly: boolean;
  /** The user of the database may not write to it. Unlike other collections that are only read, its key tells records apart. */
  readonly isWriteDenied?: boolean;
  /** Some kinds of writes, which the user of the database may not make. */
  readonly deniedWrites?: readonly WriteKind[];
  /** The database does not return a record that its user creates, because the user may not write some columns of it. */
  readonly hidesCreated?: boolean;
  /** Names of the key columns in table order; empty when there is none. */
  readonly primaryKey: readonly string[];
  /** Column sets that the database keeps unique beside the key. */
  readonly uniqueKeys?: readonly (readonly string[])[];
  /** In table order, relations after columns. */
  readonly fields: ReadonlyMap<string, FieldSchema>;
  /** The data source marks what is deleted, and hides it. */
  readonly softDelete?: SoftDelete;
  /** The data source keeps these columns. */
  readonly timestamps?: Timestamps;
}

/** Whether the database counts the column, a key, by itself. Nobody writes it but an import, whose records keep their keys. */
export function isNumberedKey({ type, isPrimaryKey, isReadOnly, hasDefault }: ColumnSchema): boolean {
  return type === 'Number' && isPrimaryKey && isReadOnly && hasDefault;
}
