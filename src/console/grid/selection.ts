import { noId, type Row } from '../wire/records.ts';

/** Chosen records: these, or all that match but some. */
export type Selection =
  | { readonly kind: 'these'; readonly ids: ReadonlySet<string> }
  | { readonly kind: 'all'; readonly without: ReadonlySet<string> };

/** The ways in which rows are chosen. They stay the same as long as the grid is there. */
export interface Choice {
  /** Turns one row over. */
  toggle(row: Row): void;
  /** Chooses all rows from the active one to another, which becomes the active one. A range that goes on keeps its beginning. */
  extend(to: number): void;
  /** Chooses all rows that are loaded; none where all of them are chosen. */
  toggleLoaded(): void;
}

export const nothingSelected: Selection = { kind: 'these', ids: new Set() };

export function isSelected(selection: Selection, id: string): boolean {
  return selection.kind === 'these' ? selection.ids.has(id) : !selection.without.has(id);
}

/** The ids of the rows that can be chosen: nothing names a record without a key. */
export function choosable(rows: readonly Row[]): ReadonlySet<string> {
  return new Set(rows.flatMap(({ id }) => (id === noId ? [] : id)));
}

/** Whether all of the rows that can be chosen are chosen. */
export function isWhole(selection: Selection, rows: readonly Row[]): boolean {
  const ids = [...choosable(rows)];
  return ids.length > 0 && ids.every((id) => isSelected(selection, id));
}

/** The same selection with a record turned over. */
export function toggled(selection: Selection, id: string): Selection {
  if (selection.kind === 'these') return { kind: 'these', ids: withToggled(selection.ids, id) };
  return { kind: 'all', without: withToggled(selection.without, id) };
}

/** The same selection without these records. "All that match" never has records that do not. */
export function withoutThese(selection: Selection, gone: ReadonlySet<string>): Selection {
  return selection.kind === 'these' ? { kind: 'these', ids: selection.ids.difference(gone) } : selection;
}

/** The same selection with these records too. */
export function withThese(selection: Selection, more: ReadonlySet<string>): Selection {
  if (selection.kind === 'these') return { kind: 'these', ids: selection.ids.union(more) };
  return { kind: 'all', without: selection.without.difference(more) };
}

function withToggled(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return next;
}

export function isNothing(selection: Selection): boolean {
  return selection.kind === 'these' && selection.ids.size === 0;
}

/** How many records are chosen; `undefined` where nobody has counted them. */
export function sizeOf(selection: Selection, count: number | null | undefined): number | undefined {
  if (selection.kind === 'these') return selection.ids.size;
  return typeof count === 'number' ? count - selection.without.size : undefined;
}

/** A selection in the body of a request, with the list that it was made in. */
export function selectionAttributes(
  selection: Selection,
  query: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, unknown>> {
  if (selection.kind === 'these') return { ids: [...selection.ids] };
  return {
    ids: [],
    all_records: true,
    all_records_ids_excluded: [...selection.without],
    all_records_subset_query: query,
  };
}
