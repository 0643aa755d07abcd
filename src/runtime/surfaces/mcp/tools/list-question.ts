import { invalidRequest } from '#kernel/errors/request-errors';
import { type CompiledCollection, columnOf, isValueField, type ModelView } from '../../../model/compiled-model.ts';
import { columnLookup } from '../../../model/field-path.ts';
import type { ColumnSchema } from '../../../query/collection-schema.ts';
import type { ConditionTree } from '../../../query/condition-tree.ts';
import { parseConditionTree } from '../../../query/parse-condition-tree.ts';
import type { RecordData, SortClause } from '../../../query/record-query.ts';
import { readWireFilter } from '../../../query/wire-filter.ts';
import type { RelationEnd } from '../../../records/request/link-service.ts';
import type { PlannedQuery } from '../../../records/request/planned-query.ts';
import type { PlaceInList, RecordQuery, SelectionQuery } from '../../../records/request/record-service.ts';
import type { AgentState } from '../../request/agent-state.ts';
import type { PageCursors } from '../../request/page-cursors.ts';
import type { RecordSelection } from '../../request/query-parameters.ts';
import type { ListArguments, SelectionArguments } from './list-arguments.ts';

const defaultPageSize = 15;

/** A list as it was asked for. */
export interface ListQuestion {
  readonly query: RecordQuery | PlannedQuery;
  /** What is counted: the records of every page. */
  selection(): SelectionQuery;
  readonly order: readonly SortClause[];
  readonly page: ListPage;
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
  /** Whose list it is, and where. */
  readonly place: readonly unknown[];
}

/** Throws `REQUEST_INVALID` for filters that do not fit the collection, and for a cursor of another list. */
export function readList(
  { model, recordService }: Pick<AgentState, 'model' | 'recordService'>,
  cursors: PageCursors,
  sent: SentList,
): ListQuestion {
  const { args, collection, projection, relatedTo, place } = sent;
  const identity = [...place, ...listIdentity(args)];
  const page = pageOf(args, (cursor) => cursors.read(cursor, identity));
  const order = orderOf(collection, args);
  const selection = () => ({ ...readSelection(model, collection, args), relatedTo });
  const rest = conditionAfter(collection, order, page.values);
  // One more record tells whether there is a next page.
  const window = { skip: rest ? 0 : page.skip, limit: page.size + 1 };
  const query =
    rest || !selectsByColumns(sent)
      ? { ...restOf(selection(), rest), projection, sort: order, page: window }
      : recordService.planList({
          collection,
          key: JSON.stringify(['tool', collection.name, projection, order]),
          filter: readWireFilter(args.filters),
          page: window,
          shape: () => ({ projection, sort: order }),
        });
  return { query, selection, order, page, identity };
}

/** Whether the columns of records alone decide which of them come. */
function selectsByColumns({ args: { search, segment, deleted }, relatedTo }: SentList): boolean {
  return !(relatedTo || search?.trim() || segment || deleted);
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
interface ListPage extends PlaceInList {
  readonly size: number;
}

function pageOf({ pagination, cursor }: ListArguments, placeOf: (cursor: string) => PlaceInList): ListPage {
  const { size = defaultPageSize, number = 1 } = pagination ?? {};
  if (cursor === undefined) return { skip: (number - 1) * size, size };
  if (pagination?.number === undefined) return { ...placeOf(cursor), size };
  throw invalidRequest('A page has a cursor or a number, and not both.', 'Leave out "pagination.number".');
}

/** What of a selection comes after a place. */
function restOf(selection: SelectionQuery, rest: ConditionTree | undefined): SelectionQuery {
  const { where } = selection;
  return { ...selection, where: where && rest ? { aggregator: 'And', conditions: [where, rest] } : (where ?? rest) };
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
  const written = (sort ?? '').split(',').map((clause) => clause.trim());
  return written.filter(Boolean).map((clause) => ({
    field: clause.replace(/^-/, ''),
    ascending: !clause.startsWith('-'),
  }));
}

/**
 * The condition of the records that come after a place. `undefined` where the order is more than that of one number that every
 * record has: such lists go on by counting.
 */
function conditionAfter(
  collection: CompiledCollection,
  order: readonly SortClause[],
  values: PlaceInList['values'],
): ConditionTree | undefined {
  const clause = keyClause(collection, order);
  if (!clause || values === undefined) return undefined;
  return { field: clause.field, operator: clause.ascending ? 'GreaterThan' : 'LessThan', value: values[0] };
}

/** The key to go on after; `undefined` for lists that go on by counting. */
export function keyToGoOnAfter(
  collection: CompiledCollection,
  order: readonly SortClause[],
  last: RecordData | undefined,
): PlaceInList['values'] {
  const clause = keyClause(collection, order);
  const key = clause && last?.[clause.field];
  return typeof key === 'number' || typeof key === 'string' ? [key] : undefined;
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
