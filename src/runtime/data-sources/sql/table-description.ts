import type { ColumnType } from '../../query/column-type.ts';

/** A column as the catalogue of a database describes it, its type already neutral. */
export interface ColumnDescription {
  readonly name: string;
  readonly nativeType: string;
  readonly type: ColumnType;
  readonly isExact: boolean;
  readonly isNullable: boolean;
  readonly isGenerated: boolean;
  /** Numbered by the database; never given by a client. */
  readonly isAutoIncrement: boolean;
  readonly hasDefault: boolean;
  /** Absent when there is none or it is an expression. */
  readonly defaultValue?: unknown;
  readonly enumValues?: readonly string[];
}

export interface ForeignKeyDescription {
  readonly columns: readonly string[];
  readonly foreignTable: string;
  readonly foreignColumns: readonly string[];
}

export interface TableDescription {
  readonly name: string;
  readonly isView: boolean;
  readonly columns: readonly ColumnDescription[];
  /** In table order; empty when there is no key. */
  readonly primaryKey: readonly string[];
  readonly foreignKeys: readonly ForeignKeyDescription[];
  /** Column sets that are unique beside the primary key. */
  readonly uniqueKeys: readonly (readonly string[])[];
}
