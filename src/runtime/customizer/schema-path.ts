import type {
  CollectionName,
  FieldName,
  FieldValue,
  RelationName,
  SchemaShape,
  TargetOf,
  ToOneName,
} from './schema-types.ts';

/** How many relations a path may follow: what the typings say (`typingsMaxDepth`), else 5. */
type DepthOf<S> = S extends (depth: infer Depth extends number) => never ? Depth : 5;

/** `'one'`: through to-one relations only, as what is read and sorted by. `'many'`: through any, as what is filtered by. */
type Through = 'one' | 'many';

/** The paths that an editor proposes: the fields of the collection, and those one relation away. */
export type NearPath<S extends SchemaShape<S>, C extends CollectionName<S>, T extends Through = 'one'> =
  | FieldName<S, C>
  | {
      [R in RelationsThrough<S, C, T>]: `${R}:${FieldName<S, TargetOf<S, C, R>>}`;
    }[RelationsThrough<S, C, T>];

type RelationsThrough<S extends SchemaShape<S>, C extends CollectionName<S>, T extends Through> = T extends 'one'
  ? ToOneName<S, C>
  : RelationName<S, C>;

/**
 * `P` if it is a field, or a path `relation:field`. Else a sentence that says what is wrong with it, so that it is the first
 * line of the compiler's message. What is not a literal cannot be checked, and is accepted. `NoInfer`: only the path itself says
 * what it is, never a sentence about it.
 */
export type PathOn<
  S extends SchemaShape<S>,
  C extends CollectionName<S>,
  P extends string,
  T extends Through = 'one',
> = string extends P ? string : [PathProblem<S, C, P, T>] extends [never] ? P : NoInfer<PathProblem<S, C, P, T>>;

/** The same for a list of paths, each by itself. */
export type PathsOn<S extends SchemaShape<S>, C extends CollectionName<S>, P extends readonly string[]> = {
  readonly [Index in keyof P]: PathOn<S, C, P[Index]>;
};

/**
 * The problem of a path; `never` when there is none. For a path that is being typed, the paths with the same beginning,
 * which an editor proposes. It follows the path, not the schema, so its cost is that of the path.
 */
export type PathProblem<
  S extends SchemaShape<S>,
  C extends CollectionName<S>,
  P extends string,
  T extends Through,
  Trail extends string = '',
  Steps extends readonly unknown[] = [],
> =
  P extends FieldName<S, C>
    ? never
    : P extends `${infer R}:${infer Rest}`
      ? R extends RelationName<S, C>
        ? Steps['length'] extends DepthOf<S>
          ? `'${Trail}${P}' is deeper than the typings go: raise typingsMaxDepth`
          : [T, S[C]['relations'][R]] extends ['one', readonly unknown[]]
            ? `the relation '${R}' of '${C}' leads to many records`
            : PathProblem<S, TargetOf<S, C, R>, Rest, T, `${Trail}${R}:`, [...Steps, R]>
        : `'${R}' is not a relation of '${C}'`
      : Unfinished<
          `${Trail}${Begun<NearPath<S, C, T>, P>}`,
          P extends RelationName<S, C>
            ? `'${P}' is a relation of '${C}': name a field behind it, '${P}:…'`
            : `'${P}' is not a field of '${C}'`
        >;

/** The texts that begin with `Start`. */
export type Begun<Text extends string, Start extends string> = Extract<Text, `${Start}${string}`>;

/** The paths that an editor can propose, or else the problem. */
export type Unfinished<Proposals, Problem> = [Proposals] extends [never] ? Problem : Proposals;

/** The value at the end of a path; what may be absent on the way makes it nullable. */
export type ValueAt<S extends SchemaShape<S>, C extends CollectionName<S>, P> =
  P extends FieldName<S, C>
    ? FieldValue<S, C, P>
    : P extends `${infer R}:${infer Rest}`
      ? R extends RelationName<S, C>
        ? ValueAt<S, TargetOf<S, C, R>, Rest> | Extract<S[C]['relations'][R], null>
        : unknown
      : unknown;
