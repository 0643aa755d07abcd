import type { AtHand } from '#kernel/async/at-hand';
import type { Caller } from '../customizer/caller.ts';
import type { ConditionTree } from '../query/condition-tree.ts';
import type { ActionRun } from './action-run.ts';

export type CollectionRight = 'browse' | 'read' | 'edit' | 'add' | 'delete' | 'export';

/** The one place that says who may do what. Denies by default. */
export interface Authoriser {
  /** Throws `REQUEST_FORBIDDEN` unless the caller has the right on the collection. */
  require(caller: Caller, collection: string, right: CollectionRight): Promise<void>;
  /** Throws `REQUEST_FORBIDDEN`, naming the collection, unless the caller may read every one of `collections`: those where the paths of a query end. */
  requireReadOn(caller: Caller, collections: Iterable<string>): Promise<void>;
  /** Throws `ACTION_TRIGGER_FORBIDDEN` unless the caller may trigger the action, on some records at least: what its form needs. */
  requireTrigger(caller: Caller, collection: string, action: string): Promise<void>;
  /**
   * Asked before the code of an action runs. Throws `ACTION_TRIGGER_FORBIDDEN`, `ACTION_APPROVAL_REQUIRED` or
   * `ACTION_APPROVAL_NOT_ALLOWED`, the last two with the `roleIdsAllowedToApprove`, or `ACTION_CONDITION_INVALID`.
   */
  requireActionRun(caller: Caller, run: ActionRun): Promise<void>;
  /**
   * Throws `REQUEST_FORBIDDEN` unless the caller may see the chart: whoever edits the project any, others those of their rendering.
   *
   * @param definition as the client sent it, before anything is filled in. Two with the same keys of `chart-rule.ts` are one
   * chart, so whoever answers must look at no other key.
   */
  requireChart(caller: Caller, definition: Readonly<Record<string, unknown>>): Promise<void>;
  /** Throws `REQUEST_FORBIDDEN` unless the caller may run the query of a segment as it is, on the connection. */
  requireSegmentQuery(
    caller: Caller,
    collection: string,
    connectionName: string | undefined,
    query: string,
  ): Promise<void>;
  /** The restriction to add to every query of the caller on the collection; `undefined` for none. */
  scopeOf(caller: Caller, collection: string): AtHand<ConditionTree | undefined>;
  /** Look up what a rendering says before it is used again. */
  refreshRendering(renderingId: number): void;
}
