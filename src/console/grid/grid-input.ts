import { type KeyboardEvent, type MouseEvent, useEffect } from 'react';
import { preferences } from '../model/preferences.ts';
import type { Column } from '../model/schema.ts';
import type { GridProps } from './grid-rows.tsx';
import { sortPathOf } from './list-state.ts';
import type { Choice } from './selection.ts';

/** What keeps the focus that a click gives it. */
const focusable = 'a, button, input, select, textarea, .cm-content, form';

/** The cell that somebody points at; `undefined` beside the cells, and in the editor of one, which has its own clicks. */
function pointedCell({ target }: MouseEvent): { readonly row: number; readonly column: number } | undefined {
  const isInCell = target instanceof Element && !target.closest('form');
  const cell = isInCell ? target.closest<HTMLElement>('[data-row]') : null;
  return cell ? { row: Number(cell.dataset['row']), column: Number(cell.dataset['column']) } : undefined;
}

/** Whether a click chooses all rows up to that of its cell. Links and boxes know what to do with the key themselves. */
function isRange({ target, shiftKey }: MouseEvent): boolean {
  return shiftKey && target instanceof Element && !target.closest(focusable);
}

/** A click that chooses rows marks no text between them. */
export function keepText(event: MouseEvent): void {
  if (isRange(event) && pointedCell(event)) event.preventDefault();
}

/** Make the cell under the pointer the active one. The grid has the focus then: a cell that scrolls out of the page would take it along. */
export function pointAt(
  event: MouseEvent<HTMLElement>,
  moveTo: (row: number, column: number) => void,
  choice: Choice | undefined,
): void {
  const cell = pointedCell(event);
  if (cell && isRange(event)) choice?.extend(cell.row);
  if (cell) moveTo(cell.row, cell.column);
  if (event.target instanceof Element && !event.target.closest(focusable)) event.currentTarget.focus();
}

/** Give a cell that is cut the whole of its text as its tooltip. */
export function tellWhole({ target }: MouseEvent): void {
  const cell = target instanceof Element ? target.closest<HTMLElement>('[data-row]') : null;
  if (!cell) return;
  const isCut = [cell, ...cell.querySelectorAll('*')].some((part) => part.scrollWidth > part.clientWidth + 1);
  if (isCut && cell.textContent) cell.title = cell.textContent;
  else cell.removeAttribute('title');
}

export function openPointed(event: MouseEvent, { at, onOpen }: GridProps): void {
  const cell = pointedCell(event);
  const row = cell && at(cell.row);
  if (row) onOpen(row);
}

/** Keys in an editor belong to the editor. */
function isInEditor({ target }: KeyboardEvent): boolean {
  return target instanceof HTMLElement && target.matches('input:not([type=checkbox]), textarea, select, .cm-content');
}

export function isEditKey(event: KeyboardEvent): boolean {
  if (isInEditor(event)) return false;
  return event.key === 'F2' || (event.key === 'e' && !event.ctrlKey && !event.metaKey && preferences().singleKeys);
}

const keysOfPage = /^(?:Arrow(?:Up|Down|Left|Right)|Page(?:Up|Down)|Home|End|Enter| |F2)$/;

/** The main list of a screen takes the keys that nothing else on the page has: after a link, a dialog or a scroll, nothing has the focus. */
export function useKeysOfPage(frame: { readonly current: HTMLElement | null }, isMain: boolean): void {
  useEffect(() => {
    if (!isMain) return;
    const hear = (event: globalThis.KeyboardEvent) => {
      if (event.target !== document.body || !keysOfPage.test(event.key) || document.querySelector('dialog[open]'))
        return;
      event.preventDefault();
      frame.current?.focus();
      const { key, ctrlKey, metaKey, shiftKey } = event;
      frame.current?.dispatchEvent(
        new KeyboardEvent('keydown', { key, ctrlKey, metaKey, shiftKey, bubbles: true, cancelable: true }),
      );
    };
    document.addEventListener('keydown', hear);
    return () => document.removeEventListener('keydown', hear);
  }, [frame, isMain]);
}

interface KeyTarget {
  readonly active: { readonly row: number; readonly column: number };
  readonly moveTo: (row: number, column: number) => void;
  readonly choice: Choice | undefined;
  /** How far a page is. */
  readonly pageRows: number;
}

/** Move with the arrows, open with Enter, choose with the space bar, and several rows with Shift. */
export function handleKey(
  event: KeyboardEvent,
  { count, columns, at, onOpen, onSort }: GridProps,
  { active: { row, column }, moveTo, choice, pageRows }: KeyTarget,
): void {
  if (isInEditor(event)) return;
  const far = event.ctrlKey || event.metaKey;
  const moves: Readonly<Record<string, readonly [number, number]>> = {
    ArrowUp: [row - 1, column],
    ArrowDown: [row + 1, column],
    ArrowLeft: [row, column - 1],
    ArrowRight: [row, column + 1],
    PageUp: [row - pageRows, column],
    PageDown: [row + pageRows, column],
    Home: far ? [0, 0] : [row, 0],
    End: far ? [count - 1, columns.length - 1] : [row, columns.length - 1],
  };
  const move = moves[event.key];
  const record = at(row);
  if (move) {
    const to = Math.max(0, Math.min(count - 1, move[0]));
    if (event.shiftKey && to !== row) choice?.extend(to);
    moveTo(...move);
  } else if (event.key === 'Enter' && record) onOpen(record);
  else if (event.key === ' ' && record && choice) choice.toggle(record);
  else if (event.key === 'a' && far && choice) choice.toggleLoaded();
  else if (/^s$/i.test(event.key) && !far && preferences().singleKeys)
    sortActive(columns[column], event.shiftKey, onSort);
  else return;
  event.preventDefault();
}

/** With Shift, the column is added to those that the list is sorted by, as by a click. */
function sortActive(column: Column | undefined, isAdded: boolean, onSort: GridProps['onSort']): void {
  const path = column && sortPathOf(column);
  if (path !== undefined) onSort(path, isAdded);
}
