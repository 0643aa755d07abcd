import type { Operator } from '../query/operators.ts';
import type { ArgumentOf, OperatorOn } from './field-kind.ts';
import type { PathOn, PathProblem, ValueAt } from './schema-path.ts';
import type { CollectionName, SchemaShape } from './schema-types.ts';

type Aggregator = 'And' | 'Or';

interface LeafInput {
  readonly field: string;
  readonly operator: Operator;
  readonly value?: unknown;
}

interface BranchInput {
  readonly aggregator: Aggregator;
  readonly conditions: readonly ConditionInput[];
}

/** The shape that a condition has before the compiler checks it. */
type ConditionInput = LeafInput | BranchInput;

/**
 * The type that a condition written as `Q` must have on a collection. It is `Q` itself if its fields, operators and values fit.
 * Else a sentence replaces a part that does not. It may follow relations to many records. Parts that are no
 * literals are accepted.
 */
export type ConditionOn<S extends SchemaShape<S>, C extends CollectionName<S>, Q> = Q extends never
  ? Q
  : NoInfer<Checked<S, C, Q>>;

// A variable of a general type is inferred part by part: where a part says nothing, any condition is accepted.
type Checked<S extends SchemaShape<S>, C extends CollectionName<S>, Q> = ConditionInput extends Q
  ? ConditionInput
  : Q extends { readonly conditions: infer List extends readonly unknown[] }
    ? ConditionInput extends List[number]
      ? ConditionInput
      : { readonly aggregator: Aggregator; readonly conditions: CheckedList<S, C, List> }
    : Q extends { readonly field: infer F extends string; readonly operator: infer O }
      ? string extends F
        ? ConditionInput
        : {
            readonly field: PathOn<S, C, F, 'many'>;
            readonly operator: OperatorOn<F, ValueAt<S, C, F>, O>;
            readonly value?: ArgumentOf<ValueAt<S, C, F>, O>;
          }
      : ConditionInput;

type CheckedList<S extends SchemaShape<S>, C extends CollectionName<S>, List extends readonly unknown[]> = {
  readonly [Index in keyof List]: Checked<S, C, List[Index]>;
};

/**
 * The type that a handler must return when its answer is written as `R`: a condition, or a promise of one. A problem is one
 * sentence, because the compiler compares the whole return type. `Nothing` is accepted as well.
 */
export type ConditionAnswer<S extends SchemaShape<S>, C extends CollectionName<S>, R, Nothing = never> = R extends never
  ? R
  : NoInfer<AnswerTo<R, AnswerProblem<S, C, Awaited<R>, Nothing>>>;

type AnswerTo<R, Problem> = [Problem] extends [never] ? R : Problem;

type AnswerProblem<S extends SchemaShape<S>, C extends CollectionName<S>, Q, Nothing> = unknown extends Q
  ? never
  : ConditionProblem<S, C, Exclude<Q, Nothing>>;

type ConditionProblem<S extends SchemaShape<S>, C extends CollectionName<S>, Q> = Q extends {
  readonly conditions: infer List extends readonly unknown[];
}
  ? number extends List['length']
    ? never
    : ConditionProblem<S, C, List[number]>
  : Q extends { readonly field: infer F extends string; readonly operator: infer O }
    ? string extends F
      ? never
      : [PathProblem<S, C, F, 'many'>] extends [never]
        ? LeafProblem<F, ValueAt<S, C, F>, O, Q>
        : PathProblem<S, C, F, 'many'>
    : 'a condition has a field and an operator, or an aggregator and conditions';

type LeafProblem<F extends string, V, O, Q> = [O] extends [OperatorOn<F, V, O>]
  ? Q extends { readonly value: infer Value }
    ? [Value] extends [ArgumentOf<V, O>]
      ? never
      : Value extends string
        ? `'${Value}' is not a value for '${O & string}' on '${F}'`
        : `'${O & string}' on '${F}' takes another type of value`
    : never
  : OperatorOn<F, V, O>;
