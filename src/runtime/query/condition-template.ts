import { type ConditionTree, isBranch } from './condition-tree.ts';

/**
 * A condition whose values are left open: leaf number `n`, in reading order, takes value number `n`. Requests that differ
 * in their values alone have the same template, so that one plan serves them all.
 */
export interface ConditionTemplate {
  /** Its leaves hold no values. */
  readonly tree: ConditionTree;
  /** The same for the same template. */
  readonly key: string;
}

/** A condition in two parts. */
export interface OpenCondition {
  readonly template: ConditionTemplate;
  readonly values: readonly unknown[];
}

/** Take the values out of a condition. */
export function openCondition(tree: ConditionTree): OpenCondition {
  const values: unknown[] = [];
  const open = (node: ConditionTree): ConditionTree => {
    if (isBranch(node)) return { aggregator: node.aggregator, conditions: node.conditions.map(open) };
    values.push(node.value);
    return { field: node.field, operator: node.operator };
  };
  const opened = open(tree);
  return { template: { tree: opened, key: templateKey(opened) }, values };
}

/** Put values into a template. */
export function closeCondition({ tree }: ConditionTemplate, values: readonly unknown[]): ConditionTree {
  let next = 0;
  const close = (node: ConditionTree): ConditionTree => {
    if (isBranch(node)) return { aggregator: node.aggregator, conditions: node.conditions.map(close) };
    return { field: node.field, operator: node.operator, value: values[next++] };
  };
  return close(tree);
}

/** Both conditions in one; the values of `first` come first. */
export function bothTemplates(
  first: ConditionTemplate | undefined,
  second: ConditionTemplate | undefined,
): ConditionTemplate | undefined {
  if (!first || !second) return first ?? second;
  const tree = { aggregator: 'And' as const, conditions: [first.tree, second.tree] };
  return { tree, key: templateKey(tree) };
}

function templateKey(node: ConditionTree): string {
  if (isBranch(node)) return `${node.aggregator}(${node.conditions.map(templateKey).join(',')})`;
  return `${JSON.stringify(node.field)} ${node.operator}`;
}
