import { type ConditionTree, isBranch } from './condition-tree.ts';

const longestList = 3;

/** A condition as a person reads it: `total GreaterThan 10 and (status Equal "paid" or status Missing)`. */
export function conditionInWords(tree: ConditionTree): string {
  if (!isBranch(tree)) {
    const value = tree.value === undefined || tree.value === null ? '' : ` ${valueInWords(tree.value)}`;
    return `${tree.field} ${tree.operator}${value}`;
  }
  if (tree.conditions.length === 0) return tree.aggregator === 'And' ? 'anything' : 'nothing';
  return tree.conditions
    .map((condition) => (isBranch(condition) ? `(${conditionInWords(condition)})` : conditionInWords(condition)))
    .join(tree.aggregator === 'And' ? ' and ' : ' or ');
}

function valueInWords(value: unknown): string {
  if (!Array.isArray(value) || value.length <= longestList) return JSON.stringify(value) ?? '';
  return `[${value
    .slice(0, longestList)
    .map((item) => JSON.stringify(item))
    .join(', ')}, … ${value.length} in all]`;
}
