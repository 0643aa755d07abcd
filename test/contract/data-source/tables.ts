import type { RecordData } from '#runtime/query/record-query';

/** A column type that every engine has. Exact numbers are texts in rows, instants ISO texts in UTC with milliseconds. */
export type NeutralType =
  | 'binary'
  | 'bigint'
  | 'boolean'
  | 'day'
  | 'float'
  | 'instant'
  | 'integer'
  | 'json'
  | 'text'
  | 'time'
  | 'uuid'
  | { readonly decimal: readonly [precision: number, scale: number] }
  | { readonly enum: readonly string[] };

export interface NeutralColumn {
  readonly name: string;
  readonly type: NeutralType;
  readonly isRequired?: boolean;
  /** Numbered by the database. Only for the one key column of a table. */
  readonly isAuto?: boolean;
  readonly default?: string | number | boolean;
  /** A text that the database makes of another column's: that text and a `!`. */
  readonly generatedFrom?: string;
}

export interface NeutralForeignKey {
  readonly columns: readonly string[];
  readonly table: string;
  readonly foreignColumns: readonly string[];
}

/** A table and its rows, in no engine's words. Tables come after those they refer to, rows likewise. */
export interface NeutralTable {
  readonly name: string;
  readonly columns: readonly NeutralColumn[];
  readonly primaryKey: readonly string[];
  readonly uniqueKeys?: readonly (readonly string[])[];
  readonly foreignKeys?: readonly NeutralForeignKey[];
  readonly rows: readonly RecordData[];
}
