import { invalidRequest } from '#kernel/errors/request-errors';
import { type CompiledCollection, columnOf, isValueField, type ModelView } from '../../../model/compiled-model.ts';
import { columnLookup } from '../../../model/field-path.ts';
import { parseConditionTree } from '../../../query/parse-condition-tree.ts';
import type { SortClause } from '../../../query/record-query.ts';
import { readWireFilter } from '../../../query/wire-filter.ts';
import type { RecordSelection } from '../../request/record-selection.ts';
import type { ListArguments, SelectionArguments } from './list-arguments.ts';

const defaultPageSize = 15;

/** The records that a call selects. Throws `REQUEST_INVALID` for filters that do not fit the collection. */
export function readSelection(
  model: ModelView,
  collection: CompiledCollection,
  { filters, search, shouldSearchInRelation, segment }: SelectionArguments,
): RecordSelection {
  return {
    collection: collection.name,
    where: parseConditionTree(filters, columnLookup(model, collection)),
    search: search?.trim() === '' ? undefined : search,
    isSearchExtended: shouldSearchInRelation,
    segment,
  };
}

/** What a cursor of the list is bound to, beside its caller and the place of the list: which records come, in what order. */
export function listIdentity({ filters, sort, ...others }: ListArguments): readonly unknown[] {
  const filter = readWireFilter(filters);
  const { search, shouldSearchInRelation, segment, deleted, timezone } = others;
  const order = sort && [sort.field, sort.ascending];
  return [filter?.key, filter?.values, search, shouldSearchInRelation, segment, deleted, timezone, order];
}

/** The order that was asked for, else that of the key, so that pages neither repeat nor lose records. */
export function orderOf({ fields, primaryKey }: CompiledCollection, { sort }: ListArguments): SortClause[] {
  if (sort) return [sort];
  const isSortable = primaryKey.every((name) => {
    const field = fields.get(name);
    return field && isValueField(field) && columnOf(field).isSortable;
  });
  return isSortable ? primaryKey.map((field) => ({ field, ascending: true })) : [];
}

/** The page of a list: by its number, or from where a cursor stands. */
export interface ListPage {
  readonly skip: number;
  readonly size: number;
}

/** @param skipOf reads a cursor. */
export function pageOf({ pagination, cursor }: ListArguments, skipOf: (cursor: string) => number): ListPage {
  const { size = defaultPageSize, number = 1 } = pagination ?? {};
  if (cursor === undefined) return { skip: (number - 1) * size, size };
  if (pagination?.number === undefined) return { skip: skipOf(cursor), size };
  throw invalidRequest('A page has a cursor or a number, and not both.', 'Leave out "pagination.number".');
}
