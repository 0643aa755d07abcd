import type { ActionRights, PlatformUser, Right } from '#contracts/permissions';
import { cloudError } from '#kernel/errors/cloud-error';
import { canonicalJson } from '#kernel/json/canonical-json';
import type { ActionRun, CountSelected } from './authoriser.ts';
import { allow, type Decision, deny, forbid, holding, ownEntry, type RoleStanding, type Standing } from './decision.ts';
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
    ? holding(rights.triggerEnabled, standing.user.roleId)
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

/** Whether somebody may run an action on their own whatever the records are: nothing is to be counted, and nobody to be asked. */
export function mayRunOnAny(standing: Standing, collection: string, action: string): boolean {
  const rights = actionRights(standing, collection, action);
  if (!rights) return false;
  const { roleId } = standing.user;
  const isBound = conditionsOf(rights.triggerConditions, roleId).length > 0;
  return holding(rights.triggerEnabled, roleId).holds && !isBound && !holding(rights.approvalRequired, roleId).holds;
}

/** Whether somebody may run an action on the selected records, on their own or with the approval that they give. */
export async function decideRun(standing: Standing, run: ActionRun): Promise<Decision> {
  const rights = actionRights(standing, run.collection, run.action) ?? noRights;
  // An approver needs no right to trigger.
  if (run.requesterId !== undefined) return decideApproval(standing, rights, run);
  const trigger = decideTrigger(standing, run.collection, run.action);
  return trigger.isAllowed ? decideOwnRun(standing, rights, run) : trigger;
}

async function decideOwnRun(standing: Standing, rights: ActionRights, run: ActionRun): Promise<Decision> {
  const { roleId } = standing.user;
  const { count } = run;
  if (!(await coverSelection(rights.triggerConditions, roleId, count))) {
    const message = `Your role may trigger the action "${run.action}" of "${run.collection}" only on certain records, and not all of the selected ones are.`;
    const nextStep = 'Select only records for which the role may trigger it.';
    return denyTrigger('a condition of the role does not hold for every selected record', message, nextStep);
  }
  const duty = holding(rights.approvalRequired, roleId);
  if (!duty.holds) return allow('the role needs no approval');
  const conditions = conditionsOf(rights.approvalRequiredConditions, roleId);
  if (conditions.length > 0 && (await countAny(conditions, count)) === 0) {
    return allow('none of the selected records needs an approval');
  }
  return deny(
    'it needs an approval',
    cloudError(
      'ACTION_APPROVAL_REQUIRED',
      `The action "${run.action}" of "${run.collection}" needs an approval before your role may run it on these records.`,
      'Ask for an approval.',
      { details: { roleIdsAllowedToApprove: await approvers(standing, rights, count) } },
    ),
  );
}

async function decideApproval(standing: Standing, rights: ActionRights, run: ActionRun): Promise<Decision> {
  const { id, roleId } = standing.user;
  const { count } = run;
  const right = run.requesterId === id ? rights.selfApprovalEnabled : rights.userApprovalEnabled;
  const { holds, because } = holding(right, roleId);
  const covers = holds && (await coverSelection(rights.userApprovalConditions, roleId, count));
  if (covers) return allow(because);
  const subject = run.requesterId === id ? 'a request of your own for the action' : 'the action';
  return deny(
    holds ? 'a condition of the role does not hold for every selected record' : because,
    cloudError(
      'ACTION_APPROVAL_NOT_ALLOWED',
      `You lack the right to approve ${subject} "${run.action}" of "${run.collection}" on these records.`,
      'Have it approved by somebody whose role may.',
      { details: { roleIdsAllowedToApprove: await approvers(standing, rights, count) } },
    ),
  );
}

/** Every condition of the role holds for every selected record. */
async function coverSelection(conditions: Conditions, roleId: number, count: CountSelected): Promise<boolean> {
  for (const { filter } of conditionsOf(conditions, roleId)) {
    const condition = actionCondition(filter);
    if (condition && (await count(condition)) !== (await count(undefined))) return false;
  }
  return true;
}

async function countAny(conditions: Conditions, count: CountSelected): Promise<number> {
  const counts = await Promise.all(conditions.map(({ filter }) => count(actionCondition(filter))));
  return Math.max(...counts);
}

/** The roles that may approve a run on everything that the caller can see of the selection, in ascending order. */
async function approvers({ view }: Standing, rights: ActionRights, count: CountSelected): Promise<readonly number[]> {
  const candidates = rolesHolding(rights.userApprovalEnabled, (await view.users()).values());
  const covering = await Promise.all(
    candidates.map((roleId) => coverSelection(rights.userApprovalConditions, roleId, count)),
  );
  return candidates.filter((_, index) => covering[index]);
}

/** The roles that hold a right, in ascending order. Every role that some user has holds a right of everybody. */
function rolesHolding(right: Right, users: Iterable<PlatformUser>): readonly number[] {
  const roles = typeof right !== 'boolean' ? right.roles : right ? [...users].map(({ roleId }) => roleId) : [];
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
