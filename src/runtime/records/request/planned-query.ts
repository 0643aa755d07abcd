import type { ConditionTemplate } from '../../query/condition-template.ts';
import type { Page, RecordData, SortClause } from '../../query/record-query.ts';
import type { CallContext } from '../calls/call-context.ts';

/** A list request without its values; published names. */
export interface ListQuestion {
  readonly projection: readonly string[];
  /** The operators of its condition fit their columns. */
  readonly filter?: ConditionTemplate | undefined;
  readonly sort: readonly SortClause[];
}

/** A list request that is planned once and asked often, with other values and pages, by any caller. */
export interface ListPlan {
  /**
   * Asks for the right to read the collections that its paths end in, not for the right to its own, and adds the caller's
   * scope.
   *
   * @param values those of the filter, in its order, coerced and checked.
   */
  list(values: readonly unknown[], page: Page | undefined, context: CallContext): Promise<RecordData[]>;
}

/** A list request that has been planned before, with its values. */
export interface PlannedQuery {
  readonly plan: ListPlan;
  /** Those of the filter, in its order. */
  readonly values: readonly unknown[];
  readonly page: Page | undefined;
}
