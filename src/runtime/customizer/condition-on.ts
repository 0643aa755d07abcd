import type { Operator } from '../query/operators.ts';

/** A condition on the fields and paths `P`. */
export type ConditionOn<P extends string> =
  | { readonly field: P; readonly operator: Operator; readonly value?: unknown }
  | { readonly aggregator: 'And' | 'Or'; readonly conditions: readonly ConditionOn<P>[] };
