import type { AggregateOperation, AggregateRow, DateBucket } from '../query/aggregation.ts';
import type { Projection } from '../query/projection.ts';
import type { ConditionOn } from './condition-on.ts';
import type {
  ContextCollection,
  ContextDataSource,
  ContextFilter,
  CustomizationContext,
  WriteFilter,
} from './customization-context.ts';
import type { PatchOf, RecordOf, WholeRecord } from './record-types.ts';
import type { PathOn, PathsOn, ValueAt } from './schema-path.ts';
import type { CollectionName, SchemaShape } from './schema-types.ts';

/** Sort clauses whose fields are `P`. */
export type SortOn<S extends SchemaShape<S>, C extends CollectionName<S>, P extends readonly string[]> = {
  readonly [Index in keyof P]: { readonly field: PathOn<S, C, P[Index]>; readonly ascending: boolean };
};

/** A filter of what is written, whose condition is written as `Q`. */
interface WriteFilterOn<S extends SchemaShape<S>, C extends CollectionName<S>, Q, Sorted extends readonly string[]>
  extends Omit<WriteFilter, 'conditionTree' | 'sort'> {
  readonly conditionTree?: ConditionOn<S, C, Q> | undefined;
  readonly sort?: SortOn<S, C, Sorted> | undefined;
}

/** A filter whose condition is written as `Q`, sorted by the fields `Sorted`. */
interface FilterOn<S extends SchemaShape<S>, C extends CollectionName<S>, Q, Sorted extends readonly string[]>
  extends WriteFilterOn<S, C, Q, Sorted>,
    Pick<ContextFilter, 'page'> {}

/** An aggregation of `F` by the groups `G`. */
interface AggregationOn<
  S extends SchemaShape<S>,
  C extends CollectionName<S>,
  F extends string,
  G extends readonly string[],
> {
  readonly operation: AggregateOperation;
  readonly field?: PathOn<S, C, F> | undefined;
  readonly groups?: {
    readonly [I in keyof G]: { readonly field: PathOn<S, C, G[I]>; readonly operation?: DateBucket | undefined };
  };
}

interface AggregateRowOn<S extends SchemaShape<S>, C extends CollectionName<S>, G extends string> extends AggregateRow {
  readonly group: { readonly [Field in G]: ValueAt<S, C, Field> };
}

/** A collection whose fields are known, as customization code reads and writes it. */
interface TypedContextCollection<S extends SchemaShape<S>, C extends CollectionName<S>> {
  readonly name: string;
  list<const Q, const P extends readonly string[], const Sorted extends readonly string[]>(
    filter: FilterOn<S, C, Q, Sorted>,
    projection: PathsOn<S, C, P> | Projection,
  ): Promise<RecordOf<S, C, P[number]>[]>;
  aggregate<
    const Q,
    const Sorted extends readonly string[],
    const F extends string,
    const G extends readonly string[] = readonly [],
  >(
    filter: FilterOn<S, C, Q, Sorted>,
    aggregation: AggregationOn<S, C, F, G>,
    limit?: number,
  ): Promise<AggregateRowOn<S, C, G[number]>[]>;
  /** The created records, with every column. */
  create(records: readonly PatchOf<S, C>[]): Promise<WholeRecord<S, C>[]>;
  /** How many records were changed. */
  update<const Q, const Sorted extends readonly string[]>(
    filter: WriteFilterOn<S, C, Q, Sorted>,
    patch: PatchOf<S, C>,
  ): Promise<number>;
  /** How many records were deleted. */
  delete<const Q, const Sorted extends readonly string[]>(filter: WriteFilterOn<S, C, Q, Sorted>): Promise<number>;
}

/** A collection as customization code reads and writes it, typed as far as its schema is known. */
type ContextCollectionOn<S extends SchemaShape<S>, C extends CollectionName<S>> = string extends keyof S
  ? ContextCollection
  : TypedContextCollection<S, C>;

interface TypedDataSource<S extends SchemaShape<S>> {
  /** Throws `CUSTOMIZATION_FAILED` where there is no such collection. */
  getCollection<N extends CollectionName<S>>(name: N): ContextCollectionOn<S, N>;
}

export type ContextDataSourceOn<S extends SchemaShape<S>> = string extends keyof S
  ? ContextDataSource
  : TypedDataSource<S>;

/** The collections to use inside a transaction, typed as far as the schema is known. */
interface TransactionContextOn<S extends SchemaShape<S>, C extends CollectionName<S>> {
  readonly collection: ContextCollectionOn<S, C>;
  readonly dataSource: ContextDataSourceOn<S>;
}

/** The parts of every context that the schema types. */
export interface TypedContext<S extends SchemaShape<S>, C extends CollectionName<S>>
  extends TransactionContextOn<S, C> {
  /** See `CustomizationContext`. */
  inTransaction<Result>(work: (inside: TransactionContextOn<S, C>) => Result | Promise<Result>): Promise<Result>;
}

/** `Context` with the members that the schema types; as it is without a schema. */
export type WithSchema<
  S extends SchemaShape<S>,
  C extends CollectionName<S>,
  Context,
  Members = TypedContext<S, C>,
> = string extends keyof S
  ? Context
  : { readonly [Member in keyof Context]: Member extends keyof Members ? Members[Member] : Context[Member] };

/** The context of a handler on a collection. */
export interface ContextOn<S extends SchemaShape<S>, C extends CollectionName<S>>
  extends Omit<CustomizationContext, keyof TypedContext<S, C>>,
    TypedContext<S, C> {}
