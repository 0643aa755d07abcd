import { cloudError } from '#kernel/errors/cloud-error';
import { type ConditionLeaf, type ConditionTree, isBranch } from './condition-tree.ts';
import type { Operator } from './operators.ts';

/** Operators that hold exactly where the other one does not, records without a value included. */
const opposites: Partial<Record<Operator, Operator>> = {
  Equal: 'NotEqual',
  NotEqual: 'Equal',
  In: 'NotIn',
  NotIn: 'In',
  Contains: 'NotContains',
  NotContains: 'Contains',
  IContains: 'NotIContains',
  NotIContains: 'IContains',
  Present: 'Blank',
  Blank: 'Present',
};

/**
 * A condition that holds for exactly the records for which `tree` does not. Not for paths through to-many relations: of
 * several related records one may fulfil a condition and another its opposite.
 *
 * @throws `REQUEST_INVALID` for an operator that has no opposite: the order of values, patterns and dates.
 */
export function inverseCondition(tree: ConditionTree): ConditionTree {
  if (isBranch(tree)) {
    const aggregator = tree.aggregator === 'And' ? 'Or' : 'And';
    return { aggregator, conditions: tree.conditions.map(inverseCondition) };
  }
  if (tree.operator === 'Missing') return { field: tree.field, operator: 'NotEqual', value: null };
  const operator = opposites[tree.operator];
  if (operator) return { ...tree, operator };
  return inverseOfInclusion(tree) ?? refuse(tree);
}

/** The opposite of all values: at least one of them is missing. */
function inverseOfInclusion({ field, operator, value }: ConditionLeaf): ConditionTree | undefined {
  const opposite =
    operator === 'IncludesAll' ? 'IncludesNone' : operator === 'IncludesNone' ? 'IncludesAll' : undefined;
  if (!opposite || !Array.isArray(value) || value.length === 0) return undefined;
  const conditions = value.map((item: unknown) => ({ field, operator: opposite, value: [item] }) as const);
  const [only] = conditions;
  return conditions.length === 1 && only ? only : { aggregator: 'Or', conditions };
}

function refuse({ field, operator }: ConditionLeaf): never {
  throw cloudError(
    'REQUEST_INVALID',
    `The condition "${operator}" on "${field}" has no opposite, so it cannot be negated.`,
    'Write the opposite condition yourself, and say what it means for records without a value.',
  );
}
