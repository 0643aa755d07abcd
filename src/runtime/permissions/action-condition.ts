import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { ConditionTree } from '../query/condition-tree.ts';
import { readWireCondition } from './wire-condition.ts';

/**
 * A condition of the permissions of an action; `undefined` when there is none. Throws `ACTION_CONDITION_INVALID` for a malformed
 * one, and for one about the current user: the one who triggers is not the one who approves.
 */
export function actionCondition(filter: unknown): ConditionTree | undefined {
  if (filter === null || filter === undefined) return undefined;
  const tree = readWireCondition(filter);
  if (!tree || JSON.stringify(filter).includes('{{')) throw conditionInvalid();
  return tree;
}

/** An administrator has to correct the condition. The caller does not learn what it says. */
export function conditionInvalid(cause?: unknown): CloudError {
  return cloudError(
    'ACTION_CONDITION_INVALID',
    'The conditions of the permissions of the action cannot be verified on these records.',
    'Ask an administrator of the project to correct the conditions of the action.',
    { cause },
  );
}
