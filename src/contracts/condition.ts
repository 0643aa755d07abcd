import * as z from 'zod';

/** The operators of a condition, as they are written in requests and in permissions. */
export const conditionOperators = [
  ...['equal', 'not_equal', 'in', 'not_in', 'present', 'blank', 'missing'],
  ...['less_than', 'greater_than', 'less_than_or_equal', 'greater_than_or_equal'],
  ...['contains', 'not_contains', 'starts_with', 'ends_with', 'like'],
  ...['i_contains', 'not_i_contains', 'i_starts_with', 'i_ends_with', 'i_like'],
  ...['longer_than', 'shorter_than', 'match', 'includes_all', 'includes_none'],
  ...['today', 'yesterday', 'past', 'future'],
  ...['previous_week', 'previous_month', 'previous_quarter', 'previous_year'],
  ...['previous_week_to_date', 'previous_month_to_date', 'previous_quarter_to_date', 'previous_year_to_date'],
  ...['before', 'after', 'previous_x_days', 'previous_x_days_to_date', 'before_x_hours_ago', 'after_x_hours_ago'],
] as const;

/** A condition on the records of a collection. */
export type Condition =
  | { readonly aggregator: 'and' | 'or'; readonly conditions: readonly Condition[] }
  | {
      /** A field, or a path `relation:field`. */
      readonly field: string;
      readonly operator: string;
      readonly value?: unknown;
    };

export const conditionSchema: z.ZodType<Condition> = z.lazy(() =>
  z.union([
    z.strictObject({
      aggregator: z.enum(['and', 'or']),
      conditions: z.array(conditionSchema),
    }),
    z.strictObject({
      field: z.string().min(1).describe('A field of the collection, or a path "relation:field".'),
      operator: z.enum(conditionOperators),
      value: z.unknown().optional(),
    }),
  ]),
);
