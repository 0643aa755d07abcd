import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { checkLeaf } from '../query/check-condition.ts';
import { type ConditionTree, isBranch } from '../query/condition-tree.ts';
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
