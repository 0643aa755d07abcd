import { type ConditionTree, isBranch } from '../query/condition-tree.ts';

/** The values of an enumeration that records in a scope can have. What the scope asks of other fields says nothing of this one. */
export function valuesInScope(values: readonly string[], field: string, scope: ConditionTree): readonly string[] {
  return values.filter((value) => mayHave(scope, field, value));
}

function mayHave(scope: ConditionTree, field: string, value: string): boolean {
  if (isBranch(scope)) {
    const holds = (part: ConditionTree) => mayHave(part, field, value);
    return scope.aggregator === 'And' ? scope.conditions.every(holds) : scope.conditions.some(holds);
  }
  if (scope.field !== field) return true;
  const listed: readonly unknown[] = Array.isArray(scope.value) ? scope.value : [scope.value];
  switch (scope.operator) {
    case 'Equal':
    case 'In':
      return listed.includes(value);
    case 'NotEqual':
    case 'NotIn':
      return !listed.includes(value);
    default:
      return true;
  }
}
