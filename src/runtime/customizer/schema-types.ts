/** What the generated typings say of one collection: its fields, and where its to-one relations lead. */
export interface CollectionShape {
  readonly fields: object;
  /** `'customers'`, or `'customers' | null` where the relation may be absent. */
  readonly relations: object;
}

/** The constraint on a generated `Schema`. */
export type SchemaShape<S> = { readonly [Name in keyof S]: CollectionShape };

/** The schema of an agent without generated typings: every name is accepted, every value is `unknown`. */
export interface AnySchema {
  readonly [collection: string]: {
    readonly fields: Readonly<Record<string, unknown>>;
    readonly relations: Readonly<Record<string, string | null>>;
  };
}

export type CollectionName<S extends SchemaShape<S>> = Extract<keyof S, string>;

/** A field of the collection itself. */
export type FieldName<S extends SchemaShape<S>, C extends CollectionName<S>> = Extract<keyof S[C]['fields'], string>;
type RelationName<S extends SchemaShape<S>, C extends CollectionName<S>> = Extract<keyof S[C]['relations'], string>;

type Target<S extends SchemaShape<S>, C extends CollectionName<S>, R extends RelationName<S, C>> = Extract<
  S[C]['relations'][R],
  CollectionName<S>
>;

type PathsWithin<S extends SchemaShape<S>, C extends CollectionName<S>> = {
  [R in RelationName<S, C>]: `${R}:${FieldName<S, Target<S, C, R>>}`;
}[RelationName<S, C>];

/** A field, or a path `relation:field` through at most two to-one relations. */
export type FieldPath<S extends SchemaShape<S>, C extends CollectionName<S>> =
  | FieldName<S, C>
  | PathsWithin<S, C>
  | { [R in RelationName<S, C>]: `${R}:${PathsWithin<S, Target<S, C, R>>}` }[RelationName<S, C>];

type RestAfter<P extends string, R extends string> = P extends `${R}:${infer Rest}` ? Rest : never;
type RelationsIn<P extends string> = P extends `${infer R}:${string}` ? R : never;

/** A record with the fields of the paths `P`, those of relations nested in objects. */
export type RecordOf<S extends SchemaShape<S>, C extends CollectionName<S>, P extends string> = string extends P
  ? Readonly<Record<string, unknown>>
  : { readonly [F in P & FieldName<S, C>]: S[C]['fields'][F] } & {
      readonly [R in RelationsIn<P> & RelationName<S, C>]:
        | RecordOf<S, Target<S, C, R>, RestAfter<P, R>>
        | Extract<S[C]['relations'][R], null>;
    };
