import { invalidRequest } from '#kernel/errors/request-errors';
import { type CompiledCollection, columnOf, isValueField, type ModelView } from '../../../model/compiled-model.ts';
import { columnLookup } from '../../../model/field-path.ts';
import type { ClientLimits } from '../../../permissions/client-rules.ts';
import type { ColumnSchema } from '../../../query/collection-schema.ts';
import { parseConditionTree } from '../../../query/parse-condition-tree.ts';
import type { SortClause } from '../../../query/record-query.ts';
import { readWireFilter } from '../../../query/wire-filter.ts';
import type { RelationEnd } from '../../../records/request/link-service.ts';
import type { PageQuery, PlaceInList, SelectionQuery } from '../../../records/request/record-service.ts';
import type { PageCursors } from '../../request/page-cursors.ts';
import { requireFewRecords } from '../../request/program-limits.ts';
import type { RecordSelection } from '../../request/query-parameters.ts';
import { type ListArguments, type SelectionArguments, sortClause } from './list-arguments.ts';

const defaultPageSize = 15;

/** A list as it was asked for. */
export interface ListQuestion {
  readonly query: PageQuery;
  /** What is counted: the records of every page. */
  selection(): SelectionQuery;
  /** What its cursors are bound to. */
  readonly identity: readonly unknown[];
}

/** A list that is asked for. */
export interface SentList {
  readonly args: ListArguments;
  readonly collection: CompiledCollection;
  readonly projection: readonly string[];
  /** The relation, when the list holds the records behind one. */
  readonly relatedTo: RelationEnd | undefined;
  /** Of the program that asks. */
  readonly limits: ClientLimits | undefined;
  /** Whose list it is, and where. */
  readonly place: readonly unknown[];
}

/** Throws `REQUEST_INVALID` for filters that do not fit the collection, and for a cursor of another list. */
export function readList(model: ModelView, cursors: PageCursors, sent: SentList): ListQuestion {
  const { args, collection, projection, relatedTo, place } = sent;
  const identity = [...place, ...listIdentity(args)];
  const page = pageOf(args, sent.limits, (cursor) => cursors.read(cursor, identity));
  const selection = () => ({ ...readSelection(model, collection, args), relatedTo });
  return { query: { ...selection(), projection, sort: orderOf(collection, args), ...page }, selection, identity };
}

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

/** Which records come, in what order. */
function listIdentity({ filters, sort, ...others }: ListArguments): readonly unknown[] {
  const filter = readWireFilter(filters);
  const { search, shouldSearchInRelation, segment, deleted, timezone } = others;
  const order = clausesOf(sort).flatMap(({ field, ascending }) => [field, ascending]);
  return [filter?.key, filter?.values, search, shouldSearchInRelation, segment, deleted, timezone, order];
}

/** The page of a list: by its number, or from where a cursor stands. */
function pageOf(
  { pagination, cursor }: ListArguments,
  limits: ClientLimits | undefined,
  placeOf: (cursor: string) => PlaceInList,
): Pick<PageQuery, 'size' | 'after'> {
  const { recordsPerCall = defaultPageSize } = limits ?? {};
  const { size = Math.min(defaultPageSize, recordsPerCall), number = 1 } = pagination ?? {};
  requireFewRecords(size, limits);
  if (cursor === undefined) return { size, after: { skip: (number - 1) * size } };
  if (pagination?.number === undefined) return { size, after: placeOf(cursor) };
  throw invalidRequest('A page has a cursor or a number, and not both.', 'Leave out "pagination.number".');
}

/** The order that was asked for, else that of the key, so that pages neither repeat nor lose records. */
function orderOf(collection: CompiledCollection, { sort }: Pick<ListArguments, 'sort'>): SortClause[] {
  const clauses = clausesOf(sort);
  if (clauses.length > 0) return clauses;
  const { primaryKey } = collection;
  const isSortable = primaryKey.every((name) => columnNamed(collection, name)?.isSortable);
  return isSortable ? primaryKey.map((field) => ({ field, ascending: true })) : [];
}

function clausesOf(sort: ListArguments['sort']): SortClause[] {
  if (typeof sort === 'object') return [sort];
  const asJson = sortClause.safeParse(sort);
  if (asJson.success) return [asJson.data];
  const written = (sort ?? '').split(',').map((clause) => clause.trim());
  return written.filter(Boolean).map((clause) => ({
    field: clause.replace(/^-/, ''),
    ascending: !clause.startsWith('-'),
  }));
}

function columnNamed({ fields }: CompiledCollection, name: string): ColumnSchema | undefined {
  const field = fields.get(name);
  return field && isValueField(field) ? columnOf(field) : undefined;
}
