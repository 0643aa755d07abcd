import type { VisibleCollection } from '#contracts/visible-schema';
import { type Column, columnsOf } from '../model/schema.ts';
import type { Parameters } from '../wire/agent.ts';
import { appliedFilters } from './filter-tree.ts';

/** Everything that makes a list what it is. All of it is in the address, so that a link shows the same list. */
export interface ListState {
  readonly search?: string;
  /** Look through related records too. */
  readonly extended?: 'true';
  readonly segment?: string;
  /** A tree of conditions as JSON. */
  readonly filters?: string;
  /** `-total,customer:name`, the first one first. */
  readonly sort?: string;
  /** The names of the shown columns in their order, joined by commas. */
  readonly columns?: string;
  readonly deleted?: 'only' | 'with';
  /** The saved view that the list was opened as. The rest says what the list is, so that a link needs no view. */
  readonly view?: string;
}

/** Changes parts of the list; `undefined` takes a part away. */
export type ChangeList = (change: { readonly [Name in keyof ListState]?: ListState[Name] | undefined }) => void;

const names = ['search', 'extended', 'segment', 'filters', 'sort', 'columns', 'deleted', 'view'] as const;

/** The state that an address names. What the address has besides is left out. */
export function readListState(search: Readonly<Record<string, unknown>>): ListState {
  const known = names.flatMap((name) => {
    const value = search[name];
    return typeof value === 'string' && value !== '' ? [[name, value] as const] : [];
  });
  return Object.fromEntries(known);
}

/** The parameters of the request for a list, without those of a page. */
export function listParameters(state: ListState, collection: VisibleCollection): Parameters {
  return {
    search: state.search,
    searchExtended: state.search === undefined ? undefined : state.extended,
    segment: state.segment,
    filters: appliedFilters(state.filters, collection),
    sort:
      sortsOf(state)
        .map(({ path, isDescending }) => (isDescending ? '-' : '') + path.replace(':', '.'))
        .join(',') || undefined,
    deleted: collection.hasSoftDeletes ? state.deleted : undefined,
  };
}

export interface Sort {
  /** A field, or a field of a relation: `customer:name`. */
  readonly path: string;
  readonly isDescending: boolean;
}

export function sortsOf({ sort = '' }: ListState): readonly Sort[] {
  return sort
    .split(',')
    .filter(Boolean)
    .map((part) => ({ path: part.replace(/^-/, ''), isDescending: part.startsWith('-') }));
}

/** The path that a column is sorted by; `undefined` where it cannot be sorted. */
export function sortPathOf({ name, field, relation }: Column): string | undefined {
  if (relation) return `${name}:${relation.title}`;
  return field.isSortable ? name : undefined;
}

/** Sort by a column: up, then down, then not at all. With `isAdded` the other sorts stay, and each keeps its place. */
export function nextSort(state: ListState, path: string, isAdded: boolean): string | undefined {
  const sorts = sortsOf(state);
  const now = sorts.find((sort) => sort.path === path);
  const next = !now ? [{ path, isDescending: false }] : now.isDescending ? [] : [{ path, isDescending: true }];
  const kept = isAdded ? sorts.flatMap((sort) => (sort.path === path ? next : [sort])) : next;
  const all = isAdded && !now ? [...kept, ...next] : kept;
  return all.map((sort) => (sort.isDescending ? '-' : '') + sort.path).join(',') || undefined;
}

/** Columns that a list begins with: enough to know a record by, and no text that fills a screen. */
const firstColumns = 10;

export function shownColumns(chosen: ListState['columns'], collection: VisibleCollection): readonly Column[] {
  const all = columnsOf(collection);
  if (chosen === undefined) return all.filter(fitsIntoCell).slice(0, firstColumns);
  const byName = new Map(all.map((column) => [column.name, column]));
  return chosen.split(',').flatMap((name) => byName.get(decodeURIComponent(name)) ?? []);
}

/**
 * The columns of a card, which is headed by what names the record. A card has room for a few: states and amounts come before the others, and
 * keys last.
 *
 * @param isChosen Whether somebody chose the columns. They keep their order then.
 */
export function cardColumns(
  columns: readonly Column[],
  collection: VisibleCollection,
  isChosen: boolean,
): readonly Column[] {
  const heading = columnsOf(collection).find(({ name }) => name === collection.title);
  const others = columns.filter(({ name }) => name !== heading?.name);
  const ranked = isChosen ? others : others.toSorted((one, other) => rankOnCard(one) - rankOnCard(other));
  return heading ? [heading, ...ranked] : ranked;
}

function rankOnCard({ field }: Column): number {
  if (field?.isPrimaryKey) return 3;
  if (field?.type === 'Enum') return 0;
  return field?.type === 'Number' ? 1 : 2;
}

/** Names may have commas of their own. */
export function writeColumns(shown: readonly string[]): string {
  return shown.map((name) => name.replace(/[%,]/g, encodeURIComponent)).join(',');
}

function fitsIntoCell({ field }: Column): boolean {
  return !field || !(field.type === 'Json' || field.type === 'Binary' || typeof field.type === 'object');
}
