import { CloudError } from '#kernel/errors/cloud-error';
import { allow, type Decision, deny, holding, ownEntry } from './decision.ts';
import type { Standing } from './standing.ts';

/** Whether somebody may trigger an action. */
export function decideTrigger({ permissions, user }: Standing, collection: string, action: string): Decision {
  const entry = ownEntry(permissions.collections, collection);
  const rights = entry && ownEntry(entry.actions, action);
  const { holds, because } = rights
    ? holding(rights.triggerEnabled, user.roleId)
    : { holds: false, because: 'the permissions do not name the action' };
  if (!rights || !holds) {
    return deny(
      because,
      new CloudError({
        code: 'ACTION_TRIGGER_FORBIDDEN',
        message: `You lack the right to trigger the action "${action}" of the collection "${collection}".`,
        nextSteps: ['Ask an administrator of the project for the right.'],
      }),
    );
  }
  const isConditional = rights.triggerConditions.some(({ roleId }) => roleId === user.roleId);
  if (isConditional || holding(rights.approvalRequired, user.roleId).holds) {
    return deny(
      'it needs an approval',
      new CloudError({
        code: 'ACTION_APPROVAL_REQUIRED',
        message: `Your role may trigger the action "${action}" of "${collection}" only with an approval or on certain records, which this agent cannot check.`,
        nextSteps: ['Ask somebody whose role triggers it unconditionally.'],
        ...(typeof rights.userApprovalEnabled === 'boolean'
          ? {}
          : { details: { roleIdsAllowedToApprove: rights.userApprovalEnabled.roles } }),
      }),
    );
  }
  return allow(because);
}
