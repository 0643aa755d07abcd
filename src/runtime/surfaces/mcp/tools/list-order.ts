import { type CompiledCollection, columnOf, isValueField } from '../../../model/compiled-model.ts';
import type { ColumnSchema } from '../../../query/collection-schema.ts';
import type { ConditionTree } from '../../../query/condition-tree.ts';
import type { RecordData, SortClause } from '../../../query/record-query.ts';
import type { ListArguments } from './list-arguments.ts';
import type { PagePlace } from './page-cursors.ts';

/** The order that was asked for, else that of the key, so that pages neither repeat nor lose records. */
export function orderOf(collection: CompiledCollection, { sort }: Pick<ListArguments, 'sort'>): SortClause[] {
  if (sort) return [sort];
  const { primaryKey } = collection;
  const isSortable = primaryKey.every((name) => columnNamed(collection, name)?.isSortable);
  return isSortable ? primaryKey.map((field) => ({ field, ascending: true })) : [];
}

/**
 * The condition of the records that come after a place. `undefined` where the order is more than that of one number that every
 * record has: such lists go on by counting.
 */
export function conditionAfter(
  collection: CompiledCollection,
  order: readonly SortClause[],
  after: PagePlace['after'],
): ConditionTree | undefined {
  const clause = keyClause(collection, order);
  if (!clause || after === undefined) return undefined;
  return { field: clause.field, operator: clause.ascending ? 'GreaterThan' : 'LessThan', value: after };
}

/** The key to go on after; `undefined` for lists that go on by counting. */
export function keyToGoOnAfter(
  collection: CompiledCollection,
  order: readonly SortClause[],
  last: RecordData | undefined,
): PagePlace['after'] {
  const clause = keyClause(collection, order);
  const key = clause && last?.[clause.field];
  return typeof key === 'number' || typeof key === 'string' ? key : undefined;
}

/** The order, where it is that of a key of one column, a number that can be compared. In a view, records may share a key. */
function keyClause(collection: CompiledCollection, order: readonly SortClause[]): SortClause | undefined {
  const [clause, another] = order;
  const [key, ...others] = collection.primaryKey;
  if (!clause || another || others.length > 0 || clause.field !== key || collection.native.isReadOnly) return undefined;
  const column = columnNamed(collection, key);
  const isComparable = column?.operators.has('GreaterThan') && column.operators.has('LessThan');
  return column?.type === 'Number' && isComparable && !column.isNullable ? clause : undefined;
}

function columnNamed({ fields }: CompiledCollection, name: string): ColumnSchema | undefined {
  const field = fields.get(name);
  return field && isValueField(field) ? columnOf(field) : undefined;
}
