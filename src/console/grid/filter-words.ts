import { type FilterTree, isGroup, readFilters } from './filter-tree.ts';

/** What a tree asks for, one text for each of its conditions. */
export function conditionsInWords(text: string | undefined): readonly string[] {
  const tree = readFilters(text);
  if (!tree) return [];
  return tree.aggregator === 'and' ? tree.conditions.map(inWords) : [inWords(tree)];
}

/** `status equal paid`; a group in brackets. */
export function inWords(tree: FilterTree): string {
  if (isGroup(tree)) return `(${tree.conditions.map(inWords).join(tree.aggregator === 'and' ? ' and ' : ' or ')})`;
  const operator = tree.operator.replaceAll('_', ' ');
  if (tree.value === undefined || tree.value === null) return `${tree.field} ${operator}`;
  const value = typeof tree.value === 'string' ? tree.value : JSON.stringify(tree.value);
  return `${tree.field} ${operator} ${value}`;
}

/** The tree as tools of MCP take it: `greater_than` is `GreaterThan`, and `and` is `And`. */
export function inTools(tree: FilterTree): object {
  if (isGroup(tree)) return { aggregator: pascal(tree.aggregator), conditions: tree.conditions.map(inTools) };
  return { ...tree, operator: pascal(tree.operator) };
}

function pascal(name: string): string {
  return name
    .split('_')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');
}
