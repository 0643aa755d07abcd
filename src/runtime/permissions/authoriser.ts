import type { AgentTokenClaims } from '#contracts/agent-token';
import type { MaybePromise } from '#kernel/async/maybe-promise';
import type { Caller } from '../customizer/caller.ts';
import type { ConditionTree } from '../query/condition-tree.ts';
import type { ClientLimits } from './client-rules.ts';
import type { FieldRules } from './field-rules.ts';

export type CollectionRight = 'browse' | 'read' | 'edit' | 'add' | 'delete' | 'export';

/** A right that reaches some records: one on a collection, or the right to run or to approve one of its actions. */
export type RightOnRecords = CollectionRight | `trigger:${string}` | `approve:${string}`;

/**
 * How many of the selected records fulfil a condition; without a condition, how many there are. Only records in the caller's
 * scope count: the caller chooses the selection, so any other count would tell what those records hold.
 */
export type CountSelected = (condition: ConditionTree | undefined) => Promise<number>;

/** One execution of an action. */
export interface ActionRun {
  readonly collection: string;
  readonly action: string;
  /** The person who asked for the approval that the caller gives; absent when the caller acts only. */
  readonly requesterId?: number | undefined;
  /**
   * Counts selected records. Called only when the role may run the action and has a condition. Rejects with what is wrong
   * with the selection, and with `ACTION_CONDITION_INVALID` for a condition that does not fit the collection.
   */
  readonly count: CountSelected;
}

/** Whose rights are asked for: those of a person, or of a program that acts for one. */
export type Subject = Pick<Caller, 'id' | 'client'>;

/**
 * The rights of somebody, to show them. They permit nothing: whoever acts asks the authoriser. As long as the permissions are the
 * same, all people of the same roles get the same object.
 */
export interface ShownRights {
  has(collection: string, right: CollectionRight): boolean;
  /** On some records at least. */
  mayTrigger(collection: string, action: string): boolean;
  /** On some records at least. */
  needsApproval(collection: string, action: string): boolean;
  /** On all records, for somebody who may run it on all of them. */
  alwaysNeedsApproval(collection: string, action: string): boolean;
}

/** The one place that says who may do what. Denies by default. */
export interface Authoriser {
  /** Throws `REQUEST_FORBIDDEN` unless the caller has the right on the collection. */
  require(caller: Caller, collection: string, right: CollectionRight): Promise<void>;
  /**
   * Throws `REQUEST_FORBIDDEN`, naming the collection, unless the caller may read every one of `collections`: those where the
   * paths of a query end. It is asked beside the right on the collection of the query, so no collections need no right.
   */
  requireReadOn(caller: Caller, collections: Iterable<string>): Promise<void>;
  /** Throws `REQUEST_FORBIDDEN` unless the caller may see the form of the action: everybody who may trigger it on some records. */
  requireForm(caller: Caller, collection: string, action: string): Promise<void>;
  /**
   * Throws unless the caller may run the action on the selected records, on their own or with the approval that they give. The
   * codes are `ACTION_TRIGGER_FORBIDDEN`, `ACTION_APPROVAL_REQUIRED`, `ACTION_APPROVAL_NOT_ALLOWED`,
   * `ACTION_CONDITION_INVALID`, or what `count` rejects with. The two of approvals carry `roleIdsAllowedToApprove`.
   */
  requireActionRun(caller: Caller, run: ActionRun): Promise<void>;
  /**
   * Throws `REQUEST_FORBIDDEN` unless the caller may see the chart: editors of the project any, others those of their rendering.
   *
   * @param definition as the client sent it, before anything is filled in. Two with the same keys of `create-authoriser.ts` are one
   * chart, so whoever answers must look at no other key.
   */
  requireChart(caller: Caller, definition: Readonly<Record<string, unknown>>): Promise<void>;
  /** The definitions of the charts that the renderings of the caller list, each once. Nothing else of them is asked. */
  chartsOf(caller: Caller): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Throws `REQUEST_FORBIDDEN` unless the caller may run the query of a segment as it is, on the connection. */
  requireSegmentQuery(
    caller: Caller,
    collection: string,
    connectionName: string | undefined,
    query: string,
  ): Promise<void>;
  /**
   * The restriction to add to every query by which the caller uses a right on the collection; `undefined` for none. Whether the caller has
   * the right is not asked.
   */
  scopeOf(caller: Caller, collection: string, right: RightOnRecords): MaybePromise<ConditionTree | undefined>;
  /** The rights of the caller, as of a few seconds ago. Somebody that the permissions do not name has none. */
  rightsOf(caller: Subject): Promise<ShownRights>;
  /** The same without waiting for the platform; `undefined` where they are not known yet. */
  rightsAtHand(caller: Subject): ShownRights | undefined;
  /** The names of all roles and teams of somebody as they are known without waiting, else those of the token. */
  namesOf(claims: AgentTokenClaims): Pick<Caller, 'roles' | 'teams'>;
  /** What the caller may not do with fields; `undefined` where no field is restricted. Restrictions are as of a few seconds ago. */
  fieldRulesOf(caller: Subject): MaybePromise<FieldRules | undefined>;
  /** What the program of the caller may use at most; `undefined` where no program acts, and for one without limits. */
  limitsOf(caller: Subject): MaybePromise<ClientLimits | undefined>;
  /**
   * The same authoriser, for requests that are answered by a model made for these rules. Where it allows something on fresher
   * documents than those of the rules, they must have the same rules: otherwise it throws `REQUEST_FORBIDDEN`, once.
   */
  forRules(rules: FieldRules | undefined): Authoriser;
  /** Fetch a rendering again before it is used. */
  refreshRendering(renderingId: number): void;
}

/** The rights in a development environment. */
export const everyRight: ShownRights = {
  has: () => true,
  mayTrigger: () => true,
  needsApproval: () => false,
  alwaysNeedsApproval: () => false,
};

/** Allows everything. It serves questions about the code of a project on the machine of its author, and never a request. */
export const allowEverything: Authoriser = {
  require: async () => undefined,
  requireReadOn: async () => undefined,
  requireForm: async () => undefined,
  requireActionRun: async () => undefined,
  requireChart: async () => undefined,
  chartsOf: async () => [],
  requireSegmentQuery: async () => undefined,
  scopeOf: async () => undefined,
  rightsOf: async () => everyRight,
  rightsAtHand: () => everyRight,
  namesOf: ({ role, team, roles = [role], teams = [team] }) => ({ roles, teams }),
  fieldRulesOf: () => undefined,
  limitsOf: () => undefined,
  forRules: () => allowEverything,
  refreshRendering: () => undefined,
};
