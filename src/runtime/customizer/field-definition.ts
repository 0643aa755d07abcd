import type { DeclaredType } from '../query/column-type.ts';
import type { Expression } from '../query/expression.ts';
import type { RecordData } from '../query/record-query.ts';
import type { ContextOn } from './context-on.ts';
import type { CustomizationContext } from './customization-context.ts';
import type { DeclaredValue } from './field-kind.ts';
import type { RecordOf } from './record-types.ts';
import type { PathsOn } from './schema-path.ts';
import type { CollectionName, SchemaShape } from './schema-types.ts';

/** A field whose values are computed in JavaScript. */
export interface FieldDefinition<
  S extends SchemaShape<S>,
  C extends CollectionName<S>,
  P extends readonly string[],
  T extends DeclaredType,
> {
  readonly expression?: never;
  readonly columnType: T;
  /** The values an Enum field can have. */
  readonly enumValues?: readonly string[];
  readonly defaultValue?: unknown;
  /** The fields that `getValues` reads, and paths `relation:field` through to-one relations. At least one. */
  readonly dependencies: PathsOn<S, C, P>;
  /**
   * One value for each record, in their order. Called once for all the records of an answer; records that are equal
   * in the dependencies are given once.
   */
  getValues(
    records: readonly RecordOf<S, C, P[number]>[],
    context: ContextOn<S, C>,
  ): readonly (DeclaredValue<T> | null | undefined)[] | Promise<readonly (DeclaredValue<T> | null | undefined)[]>;
}

/** A field that the database works out: it is filtered, sorted, grouped and searched like a column. */
export interface ExpressionFieldDefinition<Path extends string = string> {
  readonly columnType: DeclaredType;
  /** The values an Enum field can have. */
  readonly enumValues?: readonly string[];
  readonly expression: Expression<Path>;
  readonly dependencies?: never;
  /** `false` lets a value inside a document of the collection be written. Default `true`. */
  readonly readonly?: boolean;
}

/** A field computed in JavaScript, its types forgotten, as the compiler takes it. */
export interface AnyFieldDefinition {
  readonly columnType: DeclaredType;
  readonly enumValues?: readonly string[];
  readonly defaultValue?: unknown;
  readonly dependencies: readonly string[];
  getValues(
    records: readonly RecordData[],
    context: CustomizationContext,
  ): readonly unknown[] | Promise<readonly unknown[]>;
}

/** Makes a text of a value that says less: for people who may know that it is there, and not what it is. Missing values are not masked. */
export type Mask = (value: unknown) => string;
