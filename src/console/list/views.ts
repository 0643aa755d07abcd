import type { TeamView } from '#contracts/preferences';
import { type ListState, readListState, shownColumns, writeColumns } from '../grid/list-state.ts';
import { type OwnView, preferences, setPreferences } from '../model/preferences.ts';
import type { VisibleCollection } from '../model/schema.ts';
import { own } from '../wire/own.ts';

/** A list as somebody has arranged it. */
export interface View {
  /** As an address names it. */
  readonly id: string;
  readonly name: string;
  readonly arrangement: Arrangement;
  /** What the team shares; absent where only the person has the view. */
  readonly shared?: TeamView;
}

/** What a view keeps. Other programs may write views too, so nothing in it is taken for granted. */
export interface Arrangement {
  readonly state: Omit<ListState, 'view'>;
  readonly widths: Readonly<Record<string, number>>;
}

/** Those of the person, and then those of the team. */
export function allViews(mine: readonly OwnView[], team: readonly TeamView[]): readonly View[] {
  return [
    ...mine.map(({ name, document }) => ({ id: ownId(name), name, arrangement: readArrangement(document) })),
    ...team.map((shared) => ({
      id: String(shared.id),
      name: shared.name,
      arrangement: readArrangement(shared.document),
      shared,
    })),
  ];
}

export function ownId(name: string): string {
  return `mine:${name}`;
}

/** The list as it is now, with its columns named even where nobody has chosen them. */
export function arrangementOf(state: ListState, collection: VisibleCollection): Arrangement {
  const { view: _view, ...rest } = state;
  const columns = writeColumns(shownColumns(state.columns, collection).map(({ name }) => name));
  return { state: { ...rest, columns }, widths: own(preferences().widths, collection.name) ?? {} };
}

function readArrangement(document: Readonly<Record<string, unknown>>): Arrangement {
  const { view: _view, ...state } = readListState(objectIn(document, 'state'));
  const widths = Object.entries(objectIn(document, 'widths')).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number' && entry[1] > 0,
  );
  return { state, widths: Object.fromEntries(widths) };
}

function objectIn(document: Readonly<Record<string, unknown>>, name: string): Readonly<Record<string, unknown>> {
  const value = own(document, name);
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

/** Whether the list is another one than the view keeps. Widths that the view does not name do not count. */
export function differs(now: Arrangement, kept: Arrangement): boolean {
  const text = ({ state }: Arrangement) => JSON.stringify(Object.entries(state).toSorted());
  if (text(now) !== text(kept)) return true;
  return Object.entries(kept.widths).some(([column, width]) => own(now.widths, column) !== width);
}

/** Columns are as wide as in the view from now on. */
export function takeWidths(collection: string, { widths }: Arrangement): void {
  const { widths: before } = preferences();
  setPreferences({ widths: { ...before, [collection]: { ...own(before, collection), ...widths } } });
}
