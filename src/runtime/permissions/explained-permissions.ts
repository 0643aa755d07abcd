import { type ActionRights, type PlatformUser, type Right, roleIdsOf } from '#contracts/permissions';
import type { Caller } from '../customizer/caller.ts';
import { conditionInWords } from '../query/conditions-in-words.ts';
import {
  actionRights,
  alwaysNeedsApproval,
  conditionsOf,
  decideTrigger,
  needsApproval,
  noRights,
} from './action-rule.ts';
import type { CollectionRight, RightOnRecords } from './authoriser.ts';
import { decideRight, writesQueries } from './collection-rule.ts';
import { type Decision, holding, judge, ownEntry, type Standing, standingOf } from './decision.ts';
import type { FieldRule } from './field-rules.ts';
import type { PermissionView } from './permission-documents.ts';
import { renderingsOf, roleScopesOn, type ScopeQuestion, scopeIn } from './scope-rule.ts';
import { readWireCondition } from './wire-condition.ts';

/** Whose rights, and on what. */
export interface PermissionQuestion {
  /** Id or e-mail address. */
  readonly user: string;
  readonly collection: string;
  readonly path?: string | undefined;
  /** Scopes and segments depend on the rendering. */
  readonly renderingId?: number | undefined;
  /** A program that acts for the user: the id of an MCP client, or the name of a service account. */
  readonly client?: string | undefined;
  /** Name of the role of a user who has no other. */
  readonly role?: string | undefined;
  /** Names of roles by their numbers, as far as they are known. */
  readonly roleNames?: Readonly<Record<string, string>> | undefined;
}

/** Looks up the rights of somebody, as the platform says now. Rejects with `PLATFORM_…` while it is away. */
export type ExplainRights = (question: PermissionQuestion) => Promise<ExplainedPermissions>;

/** Whether something is allowed, and why, in a few words. */
export interface Verdict {
  readonly isAllowed: boolean;
  readonly because: string;
}

export interface ExplainedRight extends Verdict {
  readonly right: CollectionRight;
  /** The records that the right is about, in words; absent where no role has a scope for the collection. */
  readonly condition?: string | null;
}

export interface ExplainedAction {
  readonly action: string;
  readonly trigger: Verdict;
  /** Conditions in words. All selected records must fulfil them. */
  readonly triggerConditions: readonly string[];
  /** Whether a run needs an approval; `conditional`: when a record fulfils one of the conditions. */
  readonly needsApproval: 'never' | 'always' | 'conditional';
  readonly approvalRequiredConditions: readonly string[];
  readonly approve: Verdict;
  readonly approveConditions: readonly string[];
  readonly approveOwn: Verdict;
}

/** The end of a path, and whether a query may use it. */
export interface ExplainedPath extends Verdict {
  readonly path: string;
  /** The collection where the path ends; the right to read it decides. */
  readonly collection: string;
  /**
   * The ways in which a query may use the path. A path through a relation to many serves filters only. An answer shows the
   * path only when the user may read every collection on the way, because it holds the keys of their records.
   */
  readonly uses: readonly ('filter' | 'sort' | 'show')[];
}

/** A field that the role may not use as it may use the collection. */
export interface ExplainedField extends FieldRule {
  readonly field: string;
  readonly because: string;
}

/** A role or a team, and where somebody has it from: `given`, `group`, `elevation`, or `file`. */
export interface ExplainedHeld {
  readonly name: string;
  readonly source: string;
  readonly group?: string | undefined;
  readonly endsAt?: string | undefined;
}

/** A program, and what it may use at most; `null` for any number and every tool. */
interface ExplainedClient {
  readonly name: string;
  /** Whether any rules concern it. */
  readonly isRestricted: boolean;
  readonly tools: readonly string[] | null;
  readonly recordsPerCall: number | null;
  readonly writesPerHour: number | null;
}

/** The rights of a user on a collection. */
export interface ExplainedPermissions {
  readonly user: {
    readonly id: number;
    readonly email: string;
    readonly fullName: string;
    readonly roleId: number;
    /** Name of the role; `null` where nobody has told it. */
    readonly role: string | null;
    /** All roles and teams, the first one of each first. Empty where one that nobody gave for a time is all there is. */
    readonly roles: readonly ExplainedHeld[];
    readonly teams: readonly ExplainedHeld[];
    readonly permissionLevel: string;
  };
  /** The program that acts for the user; absent where none does. */
  readonly client?: ExplainedClient;
  readonly collection: string;
  readonly rights: readonly ExplainedRight[];
  /** The condition on the records, in words, filled in for the user; `null` for all records. Denied when the scope closes the collection. */
  readonly scope: (Verdict & { readonly condition: string | null }) | { readonly unknownBecause: string };
  /** The segment queries that the user may run; `null` for any. */
  readonly segmentQueries: readonly string[] | null;
  readonly actions: readonly ExplainedAction[];
  /** The fields with restrictions. */
  readonly fields: readonly ExplainedField[];
  readonly path?: ExplainedPath;
}

/** The rights of a user on an action, before the records are known. */
function explainAction(standing: Standing | Decision, collection: string, action: string): ExplainedAction {
  if ('isAllowed' in standing) return sameForAll(action, standing);
  const roleIds = roleIdsOf(standing.user);
  const rights = actionRights(standing, collection, action) ?? noRights;
  const { isAllowed, because } = decideTrigger(standing, collection, action);
  const dutiful = rolesWith(rights.approvalRequired, roleIds);
  return {
    action,
    trigger: { isAllowed, because },
    triggerConditions: inWords(rights.triggerConditions, rolesWith(rights.triggerEnabled, roleIds)),
    needsApproval: approvalOf(standing, collection, action),
    approvalRequiredConditions: dutiful.flatMap((roleId) => ofRole(rights.approvalRequiredConditions, roleId)),
    approve: verdictOf(rights.userApprovalEnabled, roleIds),
    approveConditions: inWords(rights.userApprovalConditions, rolesWith(rights.userApprovalEnabled, roleIds)),
    approveOwn: verdictOf(rights.selfApprovalEnabled, roleIds),
  };
}

function sameForAll(action: string, { isAllowed, because }: Decision): ExplainedAction {
  const verdict = { isAllowed, because };
  const conditions = { triggerConditions: [], approvalRequiredConditions: [], approveConditions: [] };
  return { action, trigger: verdict, ...conditions, needsApproval: 'never', approve: verdict, approveOwn: verdict };
}

/** Where one of several roles needs no approval, the records decide. */
function approvalOf(standing: Standing, collection: string, action: string): ExplainedAction['needsApproval'] {
  const rights = actionRights(standing, collection, action);
  if (!rights) return 'always';
  if (!needsApproval(standing, collection, action)) return 'never';
  return alwaysNeedsApproval(standing, collection, action) ? 'always' : 'conditional';
}

function rolesWith(right: Right, roleIds: readonly number[]): readonly number[] {
  return roleIds.filter((roleId) => holding(right, [roleId]).holds);
}

function verdictOf(right: Right, roleIds: readonly number[]): Verdict {
  const { holds, because } = holding(right, roleIds);
  return { isAllowed: holds, because };
}

/** Conditions that all hold. Those of several roles are one, because one of the roles is enough. */
function inWords(conditions: ActionRights['triggerConditions'], roleIds: readonly number[]): readonly string[] {
  const ofRoles = roleIds.map((roleId) => ofRole(conditions, roleId));
  const [only = [], ...others] = ofRoles;
  if (others.length === 0) return only;
  return ofRoles.some((words) => words.length === 0) ? [] : [ofRoles.map((words) => words.join(' and ')).join(', or ')];
}

function ofRole(conditions: ActionRights['triggerConditions'], roleId: number): readonly string[] {
  return conditionsOf(conditions, roleId).flatMap(({ filter }) => {
    if (filter === null || filter === undefined) return [];
    const tree = readWireCondition(filter);
    return tree ? [conditionInWords(tree)] : ['a condition that cannot be read, so nobody passes it'];
  });
}

const rights: readonly CollectionRight[] = ['browse', 'read', 'edit', 'add', 'delete', 'export'];
const renderingUnknown = { unknownBecause: 'it depends on the rendering: name one with --rendering' };

/**
 * The rights of a caller on a collection, decided as for a request.
 *
 * @param isRenderingKnown The records that a right is about depend on it.
 */
export function explainRights(
  view: PermissionView,
  caller: Caller,
  collection: string,
  isRenderingKnown: boolean,
): Promise<ExplainedRight[]> {
  return Promise.all(
    rights.map(async (right) => {
      const { isAllowed, because } = await judge(view, caller, (standing) => decideRight(standing, collection, right));
      const reach = isAllowed && isRenderingKnown ? await explainReach(view, caller, { collection, right }) : undefined;
      return { right, isAllowed, because, ...reach };
    }),
  );
}

/** An action, with the records that the roles cover which may run it. */
export async function explainScopedAction(
  view: PermissionView,
  caller: Caller,
  { collection, action }: { readonly collection: string; readonly action: string },
  isRenderingKnown: boolean,
): Promise<ExplainedAction> {
  const explained = explainAction(await standingOf(view, caller), collection, action);
  if (!isRenderingKnown) return explained;
  const reach = async (verdict: Verdict, right: RightOnRecords) =>
    verdict.isAllowed ? explainReach(view, caller, { collection, right }) : undefined;
  const [run, approved] = [
    await reach(explained.trigger, `trigger:${action}`),
    await reach(explained.approve, `approve:${action}`),
  ];
  return {
    ...explained,
    trigger: { ...explained.trigger, ...verdictIn(run) },
    triggerConditions: [...explained.triggerConditions, ...(run?.condition ? [run.condition] : [])],
    approve: { ...explained.approve, ...verdictIn(approved) },
    approveConditions: [...explained.approveConditions, ...(approved?.condition ? [approved.condition] : [])],
  };
}

type Reach = Partial<Verdict> & { readonly condition: string | null };

function verdictIn(reach: Reach | undefined): Partial<Verdict> {
  const { condition: _condition, ...verdict } = reach ?? { condition: null };
  return verdict;
}

/** The records that a right is about; `undefined` where no role of the caller has a scope for the collection. */
async function explainReach(view: PermissionView, caller: Caller, question: ScopeQuestion): Promise<Reach | undefined> {
  const standing = await standingOf(view, caller);
  if ('isAllowed' in standing || !roleScopesOn(standing, question.collection)) return undefined;
  const scope = await scopeIn(view, caller, question);
  if ('denial' in scope) return { isAllowed: false, because: scope.denial.because, condition: null };
  return { condition: scope.tree ? conditionInWords(scope.tree) : null };
}

/** The records that a caller may list, filled in for them. */
export async function explainScope(
  view: PermissionView,
  caller: Caller,
  collection: string,
  isRenderingKnown: boolean,
): Promise<ExplainedPermissions['scope']> {
  if ((await view.environment()) === true) {
    return { isAllowed: true, because: 'a development environment restricts nothing', condition: null };
  }
  if (!isRenderingKnown) return renderingUnknown;
  const scope = await scopeIn(view, caller, { collection, right: 'browse' });
  const standing = await standingOf(view, caller);
  const isOfRoles = !('isAllowed' in standing) && roleScopesOn(standing, collection) !== undefined;
  const isOfSeveral = ((await view.users()).get(caller.id)?.heldTeams?.length ?? 1) > 1;
  if ('denial' in scope) return { isAllowed: false, because: scope.denial.because, condition: null };
  if (!scope.tree) {
    const because = isOfSeveral
      ? 'one of the teams has no scope for the collection'
      : 'the team has no scope for the collection';
    return { isAllowed: true, because, condition: null };
  }
  const ofTeams = isOfSeveral ? 'the scopes of all teams' : 'the scope of the team';
  const because = isOfRoles ? `${ofTeams}, and those of the roles that may browse` : ofTeams;
  return { isAllowed: true, because, condition: conditionInWords(scope.tree) };
}

/** The queries of segments that a caller may run; `null` for any. */
export async function explainSegments(
  view: PermissionView,
  user: PlatformUser,
  renderingId: number | undefined,
  collection: string,
): Promise<readonly string[] | null> {
  const permissions = await view.environment();
  if (permissions === true || writesQueries({ permissions, user })) return null;
  if (renderingId === undefined) return [];
  const renderings = await renderingsOf(view, user, { renderingId });
  const entries = renderings.flatMap(({ collections }) => ownEntry(collections, collection) ?? []);
  return entries.flatMap(({ segments, liveQuerySegments }) => [
    ...segments,
    ...liveQuerySegments.map(({ connectionName, query }) => `${connectionName}: ${query}`),
  ]);
}
