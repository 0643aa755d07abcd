import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { AggregateOperation, Aggregation } from '../query/aggregation.ts';
import { checkLeaf } from '../query/check-condition.ts';
import type { ColumnType } from '../query/column-type.ts';
import { type ConditionTree, isBranch } from '../query/condition-tree.ts';
import { hasOrder } from '../query/operators.ts';
import { type CompiledCollection, columnOf, type ModelView } from './compiled-model.ts';
import { resolvePath } from './field-path.ts';

/**
 * Check a tree written in code, or one that a surface has parsed: its paths, operators and values.
 *
 * @returns the collections its paths end in, apart from `collection` itself when no path leads back to it.
 * @throws `REQUEST_INVALID` or `REQUEST_FIELD_UNKNOWN`.
 */
export function checkConditionTree(model: ModelView, collection: CompiledCollection, tree: ConditionTree): Set<string> {
  const foreign = new Set<string>();
  const visit = (node: ConditionTree): void => {
    if (typeof node !== 'object' || node === null) throw invalidFilters('a condition must be an object');
    if (isBranch(node)) {
      if (node.aggregator !== 'And' && node.aggregator !== 'Or') throw invalidFilters('an aggregator is "And" or "Or"');
      if (!Array.isArray(node.conditions)) throw invalidFilters('an aggregator needs a list of conditions');
      node.conditions.forEach(visit);
      return;
    }
    if (typeof node.field !== 'string') throw invalidFilters(`"${node.operator}" is on no field`);
    const target = resolvePath(model, collection, node.field, 'all');
    const problem = checkLeaf(columnOf(target.field), node.operator, node.value, 'code');
    if (problem !== undefined) throw invalidFilters(`"${node.field}": ${problem}`);
    if (target.relationPath !== '') foreign.add(target.collection.name);
  };
  visit(tree);
  return foreign;
}

function invalidFilters(problem: string): CloudError {
  return cloudError('REQUEST_INVALID', `Invalid filters (${problem})`, 'Correct the condition.');
}

/**
 * Check the paths of an aggregation, and that they can be aggregated so.
 *
 * @returns the collections its paths end in, beside the root.
 * @throws `REQUEST_INVALID` or `REQUEST_FIELD_UNKNOWN`.
 */
export function checkAggregation(model: ModelView, root: CompiledCollection, aggregation: Aggregation): Set<string> {
  const { operation, field, groups } = aggregation;
  const found = new Set<string>();
  const columnAt = (path: string) => {
    const resolved = resolvePath(model, root, path);
    if (resolved.relationPath !== '') found.add(resolved.collection.name);
    const { limits } = resolved.collection;
    if (limits.get(resolved.field.name)?.isFilterable === false) {
      throw refused(`Your rights do not let you ask for figures of "${path}".`, path);
    }
    return columnOf(resolved.field);
  };
  if (field === undefined && operation !== 'Count') throw refused(`${operation} needs a field.`);
  if (field !== undefined) {
    const { type } = columnAt(field);
    if (!fits(operation, type)) throw refused(`${operation} needs ${needs[operation]}.`, field);
  }
  const buckets = new Map(groups.map((group) => [group.field, group.bucket]));
  for (const { field: path, bucket } of groups) {
    // Rows hold their groups by field.
    if (bucket !== buckets.get(path))
      throw refused(`Records cannot be grouped by "${path}" in two ways at once.`, path);
    const column = columnAt(path);
    if (!column.isGroupable) throw refused(`Records cannot be grouped by "${path}".`, path);
    const isDate = column.type === 'Date' || column.type === 'Dateonly';
    if (bucket !== undefined && !isDate) throw refused(`"${path}" is not a date to be grouped by ${bucket}.`, path);
  }
  return found;
}

const needs = {
  Count: 'any values',
  Sum: 'numbers',
  Avg: 'numbers',
  Min: 'values that have an order',
  Max: 'values that have an order',
} as const satisfies Record<AggregateOperation, string>;

function fits(operation: AggregateOperation, type: ColumnType): boolean {
  if (operation === 'Count') return true;
  return operation === 'Min' || operation === 'Max' ? hasOrder(type) : type === 'Number';
}

function refused(message: string, field?: string): CloudError {
  return cloudError('REQUEST_INVALID', message, 'Name a field that fits the aggregation.', {
    ...(field === undefined ? {} : { details: { field } }),
  });
}
