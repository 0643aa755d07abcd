import type { ColumnType, PrimitiveType } from '../query/column-type.ts';
import type { Expression } from '../query/expression.ts';
import type { RecordData } from '../query/record-query.ts';
import type { CustomizationContext } from './customization-context.ts';
import type { CollectionName, FieldPath, RecordOf, SchemaShape } from './schema-types.ts';

interface PrimitiveValues {
  Binary: Uint8Array;
  Boolean: boolean;
  Date: string | Date;
  Dateonly: string;
  Enum: string;
  Json: unknown;
  Number: number | string;
  Point: string;
  String: string;
  Time: string;
  Uuid: string;
}

/** The JavaScript value of a column type. */
export type ColumnValue<T extends ColumnType> = T extends PrimitiveType
  ? PrimitiveValues[T]
  : T extends readonly [infer Item extends ColumnType]
    ? readonly ColumnValue<Item>[]
    : { readonly [Name in keyof T]: T[Name] extends ColumnType ? ColumnValue<T[Name]> | null : never };

/** A field whose values are computed in JavaScript. */
export interface FieldDefinition<
  S extends SchemaShape<S>,
  C extends CollectionName<S>,
  P extends FieldPath<S, C>,
  T extends ColumnType,
> {
  readonly columnType: T;
  /** The values an Enum field can have. */
  readonly enumValues?: readonly string[];
  readonly defaultValue?: unknown;
  /** What `getValues` reads: fields, and paths `relation:field` through to-one relations. At least one. */
  readonly dependencies: readonly P[];
  /**
   * One value for each record, in their order. Called once for all the records of an answer; records that are equal
   * in the dependencies are given once.
   */
  getValues(
    records: readonly RecordOf<S, C, P>[],
    context: CustomizationContext,
  ): readonly (ColumnValue<T> | null | undefined)[] | Promise<readonly (ColumnValue<T> | null | undefined)[]>;
}

/** A field that the database works out: it is filtered, sorted, grouped and searched like a column. */
export interface ExpressionFieldDefinition {
  readonly columnType: ColumnType;
  /** The values an Enum field can have. */
  readonly enumValues?: readonly string[];
  readonly expression: Expression;
  /** `false` lets a value inside a document of the collection be written. Default `true`. */
  readonly readonly?: boolean;
}

/** A field computed in JavaScript, its types forgotten, as the compiler takes it. */
export interface AnyFieldDefinition {
  readonly columnType: ColumnType;
  readonly enumValues?: readonly string[];
  readonly defaultValue?: unknown;
  readonly dependencies: readonly string[];
  getValues(
    records: readonly RecordData[],
    context: CustomizationContext,
  ): readonly unknown[] | Promise<readonly unknown[]>;
}
