import type { ActionRights } from '#contracts/permissions';
import { conditionInWords } from '../query/condition-in-words.ts';
import { actionRights, conditionsOf, decideTrigger, noRights } from './action-rule.ts';
import { type Decision, holding, type Standing } from './decision.ts';
import type { ExplainedAction, Verdict } from './explained-permissions.ts';
import { readWireCondition } from './wire-condition.ts';

/** The rights of a user on an action, before the records are known. */
export function explainAction(standing: Standing | Decision, collection: string, action: string): ExplainedAction {
  if ('isAllowed' in standing) return sameForAll(action, standing);
  const { roleId } = standing.user;
  const rights = actionRights(standing, collection, action) ?? noRights;
  const approvalRequiredConditions = inWords(rights.approvalRequiredConditions, roleId);
  const { isAllowed, because } = decideTrigger(standing, collection, action);
  return {
    action,
    trigger: { isAllowed, because },
    triggerConditions: inWords(rights.triggerConditions, roleId),
    needsApproval: approvalOf(holding(rights.approvalRequired, roleId).holds, approvalRequiredConditions),
    approvalRequiredConditions,
    approve: verdictOf(rights.userApprovalEnabled, roleId),
    approveConditions: inWords(rights.userApprovalConditions, roleId),
    approveOwn: verdictOf(rights.selfApprovalEnabled, roleId),
  };
}

function sameForAll(action: string, { isAllowed, because }: Decision): ExplainedAction {
  const verdict = { isAllowed, because };
  const conditions = { triggerConditions: [], approvalRequiredConditions: [], approveConditions: [] };
  return { action, trigger: verdict, ...conditions, needsApproval: 'never', approve: verdict, approveOwn: verdict };
}

function approvalOf(isDue: boolean, conditions: readonly string[]): ExplainedAction['needsApproval'] {
  if (!isDue) return 'never';
  return conditions.length > 0 ? 'conditional' : 'always';
}

function verdictOf(right: ActionRights['userApprovalEnabled'], roleId: number): Verdict {
  const { holds, because } = holding(right, roleId);
  return { isAllowed: holds, because };
}

function inWords(conditions: ActionRights['triggerConditions'], roleId: number): readonly string[] {
  return conditionsOf(conditions, roleId).flatMap(({ filter }) => {
    if (filter === null || filter === undefined) return [];
    const tree = readWireCondition(filter);
    return tree ? [conditionInWords(tree)] : ['a condition that cannot be read, so nobody passes it'];
  });
}
