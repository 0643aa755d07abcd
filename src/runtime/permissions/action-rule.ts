import { type ActionRights, type PlatformUser, type Right, roleIdsOf } from '#contracts/permissions';
import { cloudError } from '#kernel/errors/cloud-error';
import { canonicalJson } from '#kernel/json/canonical-json';
import type { Caller } from '../customizer/caller.ts';
import type { ConditionTree } from '../query/condition-tree.ts';
import type { ActionRun, CountSelected } from './authoriser.ts';
import { allow, type Decision, deny, forbid, holding, ownEntry, type RoleStanding, type Standing } from './decision.ts';
import { noRecord, renderingsOf, roleScopesOn, scopeOfRoles, united } from './scope-rule.ts';
import { actionCondition } from './wire-condition.ts';

type Conditions = ActionRights['triggerConditions'];

/** The rights on an action that the permissions do not name. */
export const noRights: ActionRights = {
  triggerEnabled: false,
  triggerConditions: [],
  approvalRequired: true,
  approvalRequiredConditions: [],
  userApprovalEnabled: false,
  userApprovalConditions: [],
  selfApprovalEnabled: false,
};

/** Whether somebody may trigger an action on some records. */
export function decideTrigger(standing: RoleStanding, collection: string, action: string): Decision {
  const rights = actionRights(standing, collection, action);
  const { holds, because } = rights
    ? holding(rights.triggerEnabled, roleIdsOf(standing.user))
    : { holds: false, because: 'the permissions do not name the action' };
  if (holds) return allow(because);
  return denyTrigger(
    because,
    `You lack the right to trigger the action "${action}" of the collection "${collection}".`,
  );
}

/** Whether somebody may see the form of an action. It has no approval of its own: who needs one fills it in like anybody else. */
export function decideForm(standing: Standing, collection: string, action: string): Decision {
  const trigger = decideTrigger(standing, collection, action);
  return trigger.isAllowed ? trigger : forbid(trigger.because, trigger.error.message);
}

/**
 * Whether somebody may run an action on their own whatever the records are: nothing is to be counted, and nobody to be asked. The selection
 * keeps to what the roles cover together, so that their scopes count only where some of them may not.
 */
export function mayRunOnAny(standing: RoleStanding, collection: string, action: string): boolean {
  const rights = actionRights(standing, collection, action);
  if (!rights) return false;
  const runners = triggering(rights, roleIdsOf(standing.user));
  const free = runners.filter(
    (roleId) => conditionsOf(rights.triggerConditions, roleId).length === 0 && !hasDuty(rights, roleId),
  );
  if (free.length === 0 || free.length === runners.length) return free.length > 0;
  const scopes = roleScopesOn(standing, collection);
  return !scopes || free.some((id) => scopes.every(({ roleId }) => roleId !== id));
}

/** Whether somebody needs an approval for some records at least. A role that may not run the action changes nothing for one that may. */
export function needsApproval(standing: RoleStanding, collection: string, action: string): boolean {
  const rights = actionRights(standing, collection, action);
  if (!rights) return false;
  const all = roleIdsOf(standing.user);
  const runners = triggering(rights, all);
  const asked = runners.length > 0 ? runners : all;
  return asked.some((roleId) => hasDuty(rights, roleId)) && !mayRunOnAny(standing, collection, action);
}

/** Whether somebody needs one whatever the records are. */
export function alwaysNeedsApproval(standing: RoleStanding, collection: string, action: string): boolean {
  const rights = actionRights(standing, collection, action);
  if (!rights || !needsApproval(standing, collection, action)) return false;
  const all = roleIdsOf(standing.user);
  const runners = triggering(rights, all);
  return (runners.length > 0 ? runners : all).every(
    (roleId) => hasDuty(rights, roleId) && conditionsOf(rights.approvalRequiredConditions, roleId).length === 0,
  );
}

/** The same for somebody who may run it on all records: they only ask. Where the records decide, a run says why it is refused. */
export function onlyAsks(standing: RoleStanding, collection: string, action: string): boolean {
  const rights = actionRights(standing, collection, action);
  if (!rights || !alwaysNeedsApproval(standing, collection, action)) return false;
  const runners = triggering(rights, roleIdsOf(standing.user));
  return runners.every((roleId) => conditionsOf(rights.triggerConditions, roleId).length === 0);
}

function triggering({ triggerEnabled }: ActionRights, roleIds: readonly number[]): readonly number[] {
  return roleIds.filter((roleId) => holding(triggerEnabled, [roleId]).holds);
}

function hasDuty({ approvalRequired }: ActionRights, roleId: number): boolean {
  return holding(approvalRequired, [roleId]).holds;
}

/** Whether somebody may run an action on the selected records, on their own or with the approval that they give. */
export async function decideRun(standing: Standing, caller: Caller, run: ActionRun): Promise<Decision> {
  const rights = actionRights(standing, run.collection, run.action) ?? noRights;
  // An approver needs no right to trigger.
  if (run.requesterId !== undefined)
    return decideApproval(standing, await coverageOf(standing, caller, rights, run), run);
  const trigger = decideTrigger(standing, run.collection, run.action);
  if (!trigger.isAllowed) return trigger;
  return decideOwnRun(standing, await coverageOf(standing, caller, rights, run), run);
}

/** The rights on an action, and the records that each of somebody's roles covers. */
interface Coverage {
  readonly rights: ActionRights;
  /** Of the roles that have a scope. */
  readonly scopes: ReadonlyMap<number, ConditionTree>;
}

/** A scope that cannot be filled in covers nothing. */
async function coverageOf(
  standing: Standing,
  caller: Caller,
  rights: ActionRights,
  { collection }: ActionRun,
): Promise<Coverage> {
  const scopes = new Map<number, ConditionTree>();
  const ofRoles = roleScopesOn(standing, collection);
  if (!ofRoles) return { rights, scopes };
  const renderings = await renderingsOf(standing.view, standing.user, caller);
  for (const roleId of roleIdsOf(standing.user)) {
    if (!ofRoles.some((scope) => scope.roleId === roleId)) continue;
    const scope = united(renderings.map((each) => scopeOfRoles(standing, each, collection, [roleId])));
    const tree = 'denial' in scope ? noRecord : scope.tree;
    if (tree) scopes.set(roleId, tree);
  }
  return { rights, scopes };
}

/** Every selected record has to be covered by a role that may trigger, and for a run without approval by one that needs none for it. */
async function decideOwnRun(standing: Standing, { rights, scopes }: Coverage, run: ActionRun): Promise<Decision> {
  const { count } = run;
  const runners = triggering(rights, roleIdsOf(standing.user));
  if (!(await coverSelection(rights.triggerConditions, runners, count, scopes))) {
    const message = `Your role may trigger the action "${run.action}" of "${run.collection}" only on certain records, and not all of the selected ones are.`;
    const nextStep = 'Select only records for which the role may trigger it.';
    return denyTrigger('a condition of the role does not hold for every selected record', message, nextStep);
  }
  const dutiful = runners.filter((roleId) => hasDuty(rights, roleId));
  const due = await Promise.all(dutiful.map((roleId) => isApprovalDue(rights, roleId, count)));
  const free = runners.filter((roleId) => due[dutiful.indexOf(roleId)] !== true);
  const isFree =
    free.length === runners.length || (await coverSelection(rights.triggerConditions, free, count, scopes));
  if (isFree)
    return allow(
      dutiful.length === 0 ? 'the role needs no approval' : 'none of the selected records needs an approval',
    );
  return deny(
    'it needs an approval',
    cloudError(
      'ACTION_APPROVAL_REQUIRED',
      `The action "${run.action}" of "${run.collection}" needs an approval before your role may run it on these records.`,
      'Ask for an approval: POST /_internal/approvals, or vendor-cloud run action … --request "<why>".',
      { details: await approversInDetails(standing, rights, count) },
    ),
  );
}

/** Whether a role that needs approvals needs one for some of the selected records. */
async function isApprovalDue(rights: ActionRights, roleId: number, count: CountSelected): Promise<boolean> {
  const conditions = conditionsOf(rights.approvalRequiredConditions, roleId);
  return conditions.length === 0 || (await countAny(conditions, count)) > 0;
}

async function decideApproval(standing: Standing, { rights, scopes }: Coverage, run: ActionRun): Promise<Decision> {
  const { id } = standing.user;
  const { count } = run;
  const right = run.requesterId === id ? rights.selfApprovalEnabled : rights.userApprovalEnabled;
  const roleIds = roleIdsOf(standing.user);
  const { holds, because } = holding(right, roleIds);
  const holders = roleIds.filter((roleId) => holding(right, [roleId]).holds);
  const covers = holds && (await coverSelection(rights.userApprovalConditions, holders, count, scopes));
  if (covers) return allow(because);
  const subject = run.requesterId === id ? 'a request of your own for the action' : 'the action';
  return deny(
    holds ? 'a condition of the role does not hold for every selected record' : because,
    cloudError(
      'ACTION_APPROVAL_NOT_ALLOWED',
      `You lack the right to approve ${subject} "${run.action}" of "${run.collection}" on these records.`,
      'Have it approved by somebody whose role may.',
      { details: await approversInDetails(standing, rights, count) },
    ),
  );
}

/** Every selected record fulfils the conditions of at least one of the roles, and is in its scope. */
async function coverSelection(
  conditions: Conditions,
  roleIds: readonly number[],
  count: CountSelected,
  scopes?: Coverage['scopes'],
): Promise<boolean> {
  const ofRoles = roleIds.map((roleId) => togetherOf(conditionsOf(conditions, roleId), scopes?.get(roleId)));
  const trees = ofRoles.flatMap((tree) => tree ?? []);
  if (trees.length < ofRoles.length) return true;
  const [first, ...others] = trees;
  if (!first) return false;
  const tree: ConditionTree = others.length === 0 ? first : { aggregator: 'Or', conditions: trees };
  return (await count(tree)) === (await count(undefined));
}

/** All conditions of a role in one, with its scope; `undefined` for none. */
function togetherOf(conditions: Conditions, scope: ConditionTree | undefined): ConditionTree | undefined {
  const trees = [...conditions.flatMap(({ filter }) => actionCondition(filter) ?? []), ...(scope ? [scope] : [])];
  return trees.length > 1 ? { aggregator: 'And', conditions: trees } : trees[0];
}

async function countAny(conditions: Conditions, count: CountSelected): Promise<number> {
  const counts = await Promise.all(conditions.map(({ filter }) => count(actionCondition(filter))));
  return Math.max(...counts);
}

/** The roles by number, as clients know them, and by name for people, where the platform tells the names. */
async function approversInDetails(standing: Standing, rights: ActionRights, count: CountSelected) {
  const roleIds = await approvers(standing, rights, count);
  const { roleNames } = standing.permissions;
  const named = roleNames && roleIds.flatMap((roleId) => ownEntry(roleNames, String(roleId)) ?? []);
  return { roleIdsAllowedToApprove: roleIds, ...(named ? { rolesAllowedToApprove: named } : {}) };
}

/**
 * The roles that may approve a run on everything that the caller can see of the selection, in ascending order. Their scopes are another
 * matter: they mean whoever approves.
 */
async function approvers({ view }: Standing, rights: ActionRights, count: CountSelected): Promise<readonly number[]> {
  const candidates = rolesHolding(rights.userApprovalEnabled, (await view.users()).values());
  const covering = await Promise.all(
    candidates.map((roleId) => coverSelection(rights.userApprovalConditions, [roleId], count)),
  );
  return candidates.filter((_, index) => covering[index]);
}

/** The roles that hold a right, in ascending order. Every role that some user has holds a right of everybody. */
function rolesHolding(right: Right, users: Iterable<PlatformUser>): readonly number[] {
  const roles = typeof right !== 'boolean' ? right.roles : right ? [...users].flatMap(roleIdsOf) : [];
  return [...new Set(roles)].sort((a, b) => a - b);
}

/** A run that counts each condition once: roles often share a condition, and the whole selection is compared with each. */
export function countedOnce({ count, ...run }: ActionRun): ActionRun {
  const counts = new Map<string, Promise<number>>();
  return {
    ...run,
    count: (condition) => {
      const key = canonicalJson(condition ?? null);
      const found = counts.get(key) ?? count(condition);
      counts.set(key, found);
      return found;
    },
  };
}

/** The conditions for a role. */
export function conditionsOf(conditions: Conditions, roleId: number): Conditions {
  return conditions.filter((condition) => condition.roleId === roleId);
}

/** The rights on an action in the permissions; `undefined` when they do not name it. */
export function actionRights(
  { permissions }: RoleStanding,
  collection: string,
  action: string,
): ActionRights | undefined {
  const entry = ownEntry(permissions.collections, collection);
  return entry && ownEntry(entry.actions, action);
}

function denyTrigger(
  because: string,
  message: string,
  nextStep = 'Ask an administrator of the project for the right.',
): Decision {
  return deny(because, cloudError('ACTION_TRIGGER_FORBIDDEN', message, nextStep));
}
