import type { QueryPlan } from '../../data-sources/interface/data-source.ts';

/** One thing that is done for a query, in words. */
export interface ExplainedStep {
  readonly place: 'database' | 'agent';
  readonly what: string;
  /** The reason why the database does not do it. */
  readonly why?: string;
  /** The limit that bounds its cost. */
  readonly bound?: string;
}

/** How a query would be carried out. */
export interface ExplainedQuery {
  readonly collection: string;
  readonly steps: readonly ExplainedStep[];
  /** The statement for the records, and what the database says it would do; absent where it does not say. */
  readonly statement?: QueryPlan;
}
