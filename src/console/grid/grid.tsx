import { type FocusEvent, lazy, Suspense, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { hasLostFocus } from '../design/focus.ts';
import { useNarrow } from '../design/use-narrow.ts';
import { useStable } from '../design/use-stable.ts';
import { keepPlace, placeOf, visitNow } from '../model/last-list.ts';
import { zone } from '../wire/agent.ts';
import type { Row } from '../wire/records.ts';
import styles from './grid.module.css';
import { handleKey, isEditKey, keepText, openPointed, pointAt, tellWhole, useKeysOfPage } from './grid-input.ts';
import { layRows, type PlacedColumn, placeColumns, type RowLayout, visibleColumns } from './grid-layout.ts';
import { BodyRow, cellId, type GridProps, HeaderRow, type RowActs } from './grid-rows.tsx';
import { type Choice, isSelected } from './selection.ts';
import { useChoice } from './use-choice.ts';

const CardRow = lazy(async () => ({ default: (await import('./card-row.tsx')).CardRow }));
const CardHeader = lazy(async () => ({ default: (await import('./card-row.tsx')).CardHeader }));

const pickWidth = 40;
/** Columns that a card shows; the others are in the record. */
const cellsOfCard = 6;
const lineOfCard = 24;

interface Place {
  readonly row: number;
  readonly column: number;
}

interface Viewport {
  readonly scrollTop: number;
  readonly scrollLeft: number;
  readonly height: number;
  readonly width: number;
}

/** A table of any length and width: only what is in sight is in the page. */
export function Grid(props: GridProps) {
  const { label, list, columns, count, selection, onRange } = props;
  const frame = useRef<HTMLDivElement>(null);
  const view = useViewport(frame);
  const { isNarrow, rowHeight, headerHeight } = useRowShape(frame, props);
  const editing = useEditing(frame, props);
  const { placed, shown } = useColumns(props, view, isNarrow, editing.cell?.column);
  const pinnedLeft = selection ? pickWidth : 0;
  const layout = layRows(count, rowHeight, {
    scrollTop: view.scrollTop,
    height: Math.max(view.height - headerHeight, rowHeight),
  });
  const { active, setActive, sorting } = useActiveCell(frame, props, view.scrollTop, layout.height);
  const choice = useChoice(props, active.row);
  const width = pinnedLeft + widthOf(placed);

  useKeysOfPage(frame, list !== undefined);
  useRange(onRange, layout);

  const moveTo = (row: number, column: number) => {
    const next = { row: clamp(row, count), column: clamp(column, columns.length) };
    setActive(next);
    const top = layout.scrollTo(next.row);
    if (top !== undefined) frame.current?.scrollTo({ top });
    const target = placed[next.column];
    if (target && next.column > 0 && !isNarrow) showColumn(frame.current, target, pinnedLeft + (placed[0]?.width ?? 0));
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: a table element cannot hold only the rows that are in sight
    <div
      ref={frame}
      role="grid"
      aria-label={label}
      aria-rowcount={count + (headerHeight > 0 ? 1 : 0)}
      aria-colcount={columns.length}
      aria-activedescendant={count === 0 ? undefined : cellId(active.row, active.column)}
      aria-multiselectable={selection ? true : undefined}
      tabIndex={0}
      className={styles['frame']}
      onMouseDown={choice && keepText}
      onClick={(event) => pointAt(event, moveTo, choice)}
      onPointerOver={tellWhole}
      onDoubleClick={(event) => openPointed(event, props)}
      onFocus={props.onFocus}
      onFocusCapture={editing.noteFocus}
      onBlurCapture={editing.noteFocus}
      onKeyDown={(event) => {
        if (isEditKey(event) && props.editor) {
          event.preventDefault();
          editing.begin(active);
        } else handleKey(event, sorting, { active, moveTo, choice, pageRows: Math.floor(view.height / rowHeight) - 2 });
      }}
    >
      <div
        className={styles['canvas']}
        style={{ height: layout.height + headerHeight, width: isNarrow ? undefined : width }}
      >
        {isNarrow && selection && props.rows && (
          <Suspense>
            <CardHeader selection={selection} rows={props.rows} choice={choice} />
          </Suspense>
        )}
        {!isNarrow && <HeaderRow {...props} choice={choice} placed={shown} width={width} pinnedLeft={pinnedLeft} />}
        <Suspense>
          <VisibleRows
            {...props}
            choice={choice}
            layout={layout}
            shown={shown}
            width={width}
            active={active}
            editing={editing}
            isNarrow={isNarrow}
            headerHeight={headerHeight}
          />
        </Suspense>
      </div>
    </div>
  );
}

/** Tells which rows are in sight. */
function useRange(onRange: GridProps['onRange'], { first, last }: RowLayout): void {
  useLayoutEffect(() => onRange(first, last), [onRange, first, last]);
}

function widthOf(placed: readonly PlacedColumn[]): number {
  const last = placed.at(-1);
  return last ? last.left + last.width : 0;
}

/** The cell that somebody changes. It is that of a record, wherever its row moves to. */
interface EditedCell extends Place {
  readonly list: string | undefined;
  readonly record: Row;
  readonly column: number;
}

interface Editing {
  readonly cell: EditedCell | undefined;
  /** Opens the editor of a cell. Where it has none, whoever shows the list may say so. */
  begin(place: Place): void;
  end(): void;
  /** Hears where the focus goes. */
  noteFocus(event: FocusEvent): void;
}

/** One cell is changed at a time. What was typed into it stays until it is saved or given up, whatever happens to the list. */
function useEditing(frame: { readonly current: HTMLElement | null }, props: GridProps): Editing {
  const { list, at, columns, editor, onFixed } = props;
  const [begun, setCell] = useState<EditedCell>();
  const cell = begun?.list === list ? begun : undefined;
  const form = () => frame.current?.querySelector<HTMLElement>('[data-edited] form');
  const begin = ({ row, column }: Place) => {
    const [record, field] = [at(row), columns[column]];
    if (!record || !field) return;
    if (cell) form()?.querySelector<HTMLElement>('input, textarea, select, button')?.focus();
    else if (editor?.(record, field, () => {})) setCell({ list, record, row, column });
    else onFixed?.(record, field);
  };
  const goesTo = useRef<EventTarget>(null);
  const end = () => {
    // Whoever has gone on to something else keeps the focus there. While the focus moves, nothing has it.
    const { activeElement } = document;
    const isLeft = activeElement === document.body ? goesTo.current !== null : !form()?.contains(activeElement);
    setCell(undefined);
    if (!isLeft) frame.current?.focus({ preventScroll: true });
  };
  const noteFocus = ({ type, relatedTarget }: FocusEvent) => {
    goesTo.current = type === 'blur' ? relatedTarget : null;
  };
  return { cell, begin, end, noteFocus };
}

/** Where the row of a record is now. One that is not in sight any more stays where it was. */
function indexOf({ record, row }: EditedCell, { first, last }: RowLayout, at: GridProps['at']): number {
  const isOf = (index: number) => at(index)?.id === record.id;
  return (isOf(row) ? row : range(first, last).find(isOf)) ?? row;
}

/** Where columns stand, and those in sight. */
function useColumns(
  { columns, widths, title }: GridProps,
  { scrollLeft, width }: Viewport,
  isNarrow: boolean,
  edited: number | undefined,
) {
  const placed = useMemo(() => placeColumns(columns, widths), [columns, widths]);
  const shown = useMemo(
    () => (isNarrow ? onCard(placed, title) : visibleColumns(placed, scrollLeft, width, edited)),
    [placed, title, isNarrow, scrollLeft, width, edited],
  );
  return { placed, shown };
}

/** The columns of a card: what names the record comes first, as its heading. */
function onCard(placed: readonly PlacedColumn[], title: string): readonly PlacedColumn[] {
  const heading = placed.find(({ column }) => column.name === title);
  const others = placed.filter((one) => one !== heading);
  return (heading ? [heading, ...others] : others).slice(0, cellsOfCard);
}

interface VisibleRowsProps extends GridProps {
  readonly choice: Choice | undefined;
  readonly layout: RowLayout;
  readonly shown: readonly PlacedColumn[];
  readonly width: number;
  readonly active: Place;
  readonly editing: Editing;
  readonly isNarrow: boolean;
  readonly headerHeight: number;
}

/** The rows in sight, and a few beyond, and the one that somebody changes. */
function VisibleRows(props: VisibleRowsProps) {
  const { count, columns, selection, editor, layout, shown, width, active, editing, isNarrow, headerHeight } = props;
  const { cell } = editing;
  const RowLook = isNarrow ? CardRow : BodyRow;
  const acts = useRowActs(props);
  if (count === 0) return null;
  const edited = cell && columns[cell.column];
  const editedAt = cell ? indexOf(cell, layout, props.at) : -1;
  const seen = range(layout.first, layout.last);
  return (editedAt < 0 || seen.includes(editedAt) ? seen : [...seen, editedAt]).map((index) => {
    const isEdited = cell !== undefined && index === editedAt;
    const known = props.at(index);
    const row = isEdited && known?.id !== cell.record.id ? cell.record : known;
    return (
      <RowLook
        key={isEdited ? 'edited' : index}
        index={index}
        top={layout.topOf(index) + headerHeight}
        row={row}
        placed={shown}
        width={width}
        pinnedLeft={selection ? pickWidth : 0}
        title={props.title}
        pages={props.pages}
        isBehind={props.isBehind}
        isGone={row !== undefined && props.isGone?.(row) === true}
        isChosen={selection && row !== undefined && isSelected(selection, row.id)}
        activeColumn={index === active.row ? active.column : -1}
        editedColumn={isEdited ? cell.column : -1}
        editor={isEdited && row && edited && editor?.(row, edited, editing.end)}
        acts={acts}
        zone={zone()}
      />
    );
  });
}

/** What people do with a row. */
function useRowActs({ onOpen, choice }: VisibleRowsProps): RowActs {
  const open = useStable(onOpen);
  const choose = useStable((row: Row, index: number, isRange: boolean) => {
    if (isRange) choice?.extend(index);
    else choice?.toggle(row);
  });
  return useMemo(() => ({ open, choose }), [open, choose]);
}

/**
 * The cell that keys act on. Another list begins at its first one; one that somebody comes back to, where they left it.
 *
 * @param height that of all rows, which is 0 until they are known
 */
function useActiveCell(
  frame: { readonly current: HTMLElement | null },
  props: GridProps,
  scrollTop: number,
  height: number,
) {
  const { list } = props;
  const [active, setActive] = useState(() => placeOf(list === undefined ? '' : visitNow()).active);
  const now = useRef({ active, scrollTop });
  const wanted = useRef<number>(undefined);
  const kept = useRef<number>(undefined);
  useLayoutEffect(() => {
    if (list === undefined) return;
    const visit = visitNow();
    const place = placeOf(visit);
    setActive(kept.current === undefined ? place.active : { row: 0, column: kept.current });
    kept.current = undefined;
    wanted.current = place.scrollTop;
    if (hasLostFocus()) frame.current?.focus({ preventScroll: true });
    return () => keepPlace(visit, now.current);
  }, [list, frame]);
  useLayoutEffect(() => {
    now.current = { active, scrollTop };
    if (wanted.current === undefined || height === 0) return;
    frame.current?.scrollTo({ top: wanted.current });
    wanted.current = undefined;
  });
  /** Whoever sorts by the column of the cell stays in it: the same key again turns the order round. */
  const sorting: GridProps = {
    ...props,
    onSort(path, isAdded) {
      kept.current = active.column;
      props.onSort(path, isAdded);
    },
  };
  return { active, setActive, sorting };
}

/** What part of the grid is in sight. */
function useViewport(frame: { readonly current: HTMLElement | null }): Viewport {
  const [view, setView] = useState<Viewport>({ scrollTop: 0, scrollLeft: 0, height: 0, width: 0 });
  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const look = () =>
      setView({
        scrollTop: element.scrollTop,
        scrollLeft: element.scrollLeft,
        height: element.clientHeight,
        width: element.clientWidth,
      });
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [frame]);
  return view;
}

/** A card has a title of the height of a row, a line for each other cell, and space around. Its header only has the box for all cards. */
function useRowShape(frame: { readonly current: HTMLElement | null }, { columns, selection, rows }: GridProps) {
  const line = useRowHeight(frame);
  const isNarrow = useNarrow();
  if (!isNarrow) return { isNarrow, rowHeight: line, headerHeight: line };
  const lines = Math.min(columns.length, cellsOfCard) - 1;
  return { isNarrow, rowHeight: line + lineOfCard * lines + 16, headerHeight: selection && rows ? line : 0 };
}

/** The height of a row as the style sheet says it. */
function useRowHeight(frame: { readonly current: HTMLElement | null }): number {
  const [height, setHeight] = useState(36);
  useLayoutEffect(() => {
    const said = frame.current && getComputedStyle(frame.current).getPropertyValue('--row');
    if (said) setHeight(Number.parseInt(said, 10));
  }, [frame]);
  return height;
}

function showColumn(frame: HTMLElement | null, { left, width }: PlacedColumn, pinned: number): void {
  if (!frame) return;
  const start = left + pickWidth;
  if (start < frame.scrollLeft + pinned) frame.scrollTo({ left: start - pinned });
  else if (start + width > frame.scrollLeft + frame.clientWidth)
    frame.scrollTo({ left: start + width - frame.clientWidth });
}

function clamp(index: number, count: number): number {
  return Math.max(0, Math.min(count - 1, index));
}

function range(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, offset) => first + offset);
}
