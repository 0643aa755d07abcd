import type { QueryPlan } from '../../data-sources/interface/data-source.ts';

/** One thing that is done for a query, in words. */
export interface ExplainedStep {
  readonly place: 'database' | 'agent';
  readonly what: string;
  /** Why it is not left to the database. */
  readonly why?: string;
  /** What keeps it from costing too much. */
  readonly bound?: string;
}

/** How a query would be carried out. */
export interface ExplainedQuery {
  readonly collection: string;
  readonly steps: readonly ExplainedStep[];
  /** The statement for the records, and what the database says it would do; absent where it does not say. */
  readonly statement?: QueryPlan;
}
