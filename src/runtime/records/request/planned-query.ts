import type { CompiledCollection, CompiledModel } from '../../model/compiled-model.ts';
import type { Authoriser } from '../../permissions/authoriser.ts';
import type { ConditionTemplate } from '../../query/condition-template.ts';
import type { Page, RecordData, SortClause } from '../../query/record-query.ts';
import type { WireFilter } from '../../query/wire-filter.ts';
import type { CallContext } from '../calls/call-context.ts';
import type { RecordEngine } from '../read/record-engine.ts';

/** The parts that planning needs. */
export interface PlanContext {
  readonly model: CompiledModel;
  readonly authoriser: Authoriser;
  readonly engine: RecordEngine;
}

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
  /** What was planned: the same object for each call of the plan. */
  readonly asked: ListQuestion;
  /** Those of the filter, in its order. */
  readonly values: readonly unknown[];
  readonly page: Page | undefined;
}

/** A list request whose plan depends on its fields, its order and the structure of its filter only. */
export interface PlannableList {
  readonly collection: CompiledCollection;
  /** The same for lists that have one plan, apart from the filter. */
  readonly key: string;
  readonly filter: WireFilter | undefined;
  readonly page: Page | undefined;
  /** Read when no plan of the list is kept yet. */
  readonly shape: () => Omit<ListQuestion, 'filter'>;
}
