import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { AggregateOperation, Aggregation } from '../query/aggregation.ts';
import type { ColumnType } from '../query/column-type.ts';
import { hasOrder } from '../query/operators.ts';
import { type CompiledCollection, columnOf, type ModelView } from './compiled-model.ts';
import { resolvePath } from './field-path.ts';

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
    if (bucket !== undefined && !isDate) throw refused(`"${path}" is no date to be grouped by ${bucket}.`, path);
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
