import type { SortClause } from '../query/record-query.ts';
import type { CompiledCollection } from './compiled-model.ts';

/**
 * The primary key, ascending: the order of records that are equal otherwise. Empty where the database may have no order
 * for it, as for the first column of a view. What a declared key holds has an index and therefore an order, even where
 * clients may not sort by it.
 */
export function keyOrder({ primaryKey, native }: CompiledCollection): readonly SortClause[] {
  const hasOrder = (name: string) => {
    const field = native.fields.get(name);
    return field?.kind === 'column' && (field.isSortable || !native.isReadOnly);
  };
  return primaryKey.every(hasOrder) ? primaryKey.map((field) => ({ field, ascending: true })) : [];
}

/**
 * The same where only pages must follow one another: in the order that the index of a declared key has, whatever it is. What comes
 * after a record cannot be asked for in this order.
 */
export function pageOrder(collection: CompiledCollection): readonly SortClause[] {
  const keys = keyOrder(collection);
  return collection.native.isReadOnly ? keys : keys.map((key) => ({ ...key, isAnyOrder: true }));
}
