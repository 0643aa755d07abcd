import type { RecordData } from '../query/record-query.ts';
import type { InputOf } from './field-kind.ts';
import type { CollectionName, FieldName, RelationName, SchemaShape, TargetOf, ToOneName } from './schema-types.ts';

type RestAfter<P extends string, R extends string> = P extends `${R}:${infer Rest}` ? Rest : never;
type RelationsIn<P extends string> = P extends `${infer R}:${string}` ? R : never;

/** A record with the fields of the paths `P`, those of relations nested in objects. */
export type RecordOf<S extends SchemaShape<S>, C extends CollectionName<S>, P extends string> = string extends P
  ? RecordData
  : { readonly [F in P & FieldName<S, C>]: S[C]['fields'][F] } & {
      readonly [R in RelationsIn<P> & RelationName<S, C>]:
        | RecordOf<S, TargetOf<S, C, R>, RestAfter<P, R>>
        | Extract<S[C]['relations'][R], null>;
    };

/** A record with every field of its collection. */
export type WholeRecord<S extends SchemaShape<S>, C extends CollectionName<S>> = Readonly<S[C]['fields']>;

/** A partial record with its to-one relations, which can be changed. */
export type PartialRecord<S extends SchemaShape<S>, C extends CollectionName<S>> = string extends keyof S
  ? Record<string, unknown>
  : { -readonly [F in keyof S[C]['fields']]?: S[C]['fields'][F] | undefined } & {
      [R in ToOneName<S, C>]?: PartialRecord<S, TargetOf<S, C, R>> | null | undefined;
    };

/** A record to write: fields, and related records of to-one relations as nested objects. */
export type PatchOf<S extends SchemaShape<S>, C extends CollectionName<S>> = string extends keyof S
  ? RecordData
  : { readonly [F in keyof S[C]['fields']]?: InputOf<S[C]['fields'][F]> | undefined } & {
      readonly [R in ToOneName<S, C>]?: PatchOf<S, TargetOf<S, C, R>> | undefined;
    };
