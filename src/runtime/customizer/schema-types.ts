/** The generated typings of one collection: its fields, and the collections that its relations lead to. */
interface CollectionShape {
  readonly fields: object;
  /** `'customers'`, `'customers' | null` where the relation may be absent, `'orders'[]` where it leads to many. */
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

/** The name of a collection of the schema. */
export type CollectionName<S extends SchemaShape<S>> = Extract<keyof S, string>;

/** A field of the collection itself. */
export type FieldName<S extends SchemaShape<S>, C extends CollectionName<S>> = Extract<keyof S[C]['fields'], string>;

export type RelationName<S extends SchemaShape<S>, C extends CollectionName<S>> = Extract<
  keyof S[C]['relations'],
  string
>;

/** A relation that leads to one record, or to none. */
export type ToOneName<S extends SchemaShape<S>, C extends CollectionName<S>> = {
  [R in RelationName<S, C>]: S[C]['relations'][R] extends readonly unknown[] ? never : R;
}[RelationName<S, C>];

/** The collection that a relation leads to. */
export type TargetOf<S extends SchemaShape<S>, C extends CollectionName<S>, R> = R extends keyof S[C]['relations']
  ? Extract<S[C]['relations'][R] extends readonly (infer Name)[] ? Name : S[C]['relations'][R], CollectionName<S>>
  : never;

/** The JavaScript value of a field. */
export type FieldValue<S extends SchemaShape<S>, C extends CollectionName<S>, F> = F extends keyof S[C]['fields']
  ? S[C]['fields'][F]
  : unknown;

/** A field or relation of the generated schema. */
export type MemberName<S extends SchemaShape<S>, C extends CollectionName<S>> = FieldName<S, C> | RelationName<S, C>;

/** A field of the generated schema, or one that a customization adds and that no typings know yet. */
export type AnyField<S extends SchemaShape<S>, C extends CollectionName<S>> = FieldName<S, C> | (string & {});
