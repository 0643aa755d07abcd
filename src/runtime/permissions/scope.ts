import { CloudError } from '#kernel/errors/cloud-error';
import type { ConditionTree } from '../query/condition-tree.ts';
import { operatorFromWire } from '../query/operators.ts';

/** The condition tree of a scope, which the platform writes as a request would. A scope that cannot be read denies. */
export function parseScope(wire: unknown, collection: string): ConditionTree {
  if (typeof wire !== 'object' || wire === null) throw unreadable(collection);
  if ('field' in wire && 'operator' in wire) return parseLeaf(wire.field, wire.operator, wire, collection);
  if (!('aggregator' in wire && 'conditions' in wire)) throw unreadable(collection);
  const aggregator = String(wire.aggregator).toLowerCase();
  if ((aggregator !== 'and' && aggregator !== 'or') || !Array.isArray(wire.conditions)) throw unreadable(collection);
  const conditions = wire.conditions.map((condition: unknown) => parseScope(condition, collection));
  return { aggregator: aggregator === 'and' ? 'And' : 'Or', conditions };
}

function parseLeaf(field: unknown, spelling: unknown, leaf: object, collection: string): ConditionTree {
  const operator = typeof spelling === 'string' ? operatorFromWire(spelling) : undefined;
  if (typeof field !== 'string' || operator === undefined) throw unreadable(collection);
  return 'value' in leaf && leaf.value !== undefined ? { field, operator, value: leaf.value } : { field, operator };
}

function unreadable(collection: string): CloudError {
  return new CloudError({
    code: 'REQUEST_FORBIDDEN',
    message: `The scope of the collection "${collection}" cannot be read, so nothing of it is shown.`,
    nextSteps: ['Ask an administrator of the project to correct the scope.'],
  });
}
