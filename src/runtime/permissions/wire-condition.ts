import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { ConditionTree } from '../query/condition-tree.ts';
import { operatorFromWire } from '../query/operators.ts';

/** A condition of a permission document, written as in a request; `undefined` when it is malformed. */
export function readWireCondition(wire: unknown): ConditionTree | undefined {
  if (typeof wire !== 'object' || wire === null) return undefined;
  if ('field' in wire && 'operator' in wire) return readLeaf(wire.field, wire.operator, wire);
  if (!('aggregator' in wire && 'conditions' in wire)) return undefined;
  const aggregator = String(wire.aggregator).toLowerCase();
  if ((aggregator !== 'and' && aggregator !== 'or') || !Array.isArray(wire.conditions)) return undefined;
  const conditions = wire.conditions.map(readWireCondition);
  if (!conditions.every((condition) => condition !== undefined)) return undefined;
  return { aggregator: aggregator === 'and' ? 'And' : 'Or', conditions };
}

function readLeaf(field: unknown, spelling: unknown, leaf: object): ConditionTree | undefined {
  const operator = typeof spelling === 'string' ? operatorFromWire(spelling) : undefined;
  if (typeof field !== 'string' || operator === undefined) return undefined;
  return 'value' in leaf && leaf.value !== undefined ? { field, operator, value: leaf.value } : { field, operator };
}

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
