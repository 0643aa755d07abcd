import type { PointerEvent, ReactNode } from 'react';
import { useMessages } from '../messages/index.ts';
import type { Column } from '../model/schema.ts';
import { CellValue, isRight } from '../values/value.tsx';
import type { Row } from '../wire/records.ts';
import styles from './grid.module.css';
import type { PlacedColumn } from './grid-layout.ts';
import { type Sort, sortPathOf } from './list-state.ts';
import { isSelected, type Selection, toggled } from './selection.ts';

const narrowest = 60;

export interface GridProps {
  readonly label: string;
  /** Another one for another list, which begins at its first row. */
  readonly list?: string;
  readonly columns: readonly Column[];
  readonly widths: Readonly<Record<string, number>>;
  /** The rows that are known to be there. Row `at` may be on its way. */
  readonly count: number;
  readonly at: (index: number) => Row | undefined;
  readonly isBehind: boolean;
  readonly sorts: readonly Sort[];
  /** Without it nothing can be chosen. */
  readonly selection?: Selection;
  readonly onSelect?: (selection: Selection) => void;
  readonly onSort: (path: string, isAdded: boolean) => void;
  readonly onResize: (column: string, width: number) => void;
  readonly onRange: (first: number, last: number) => void;
  readonly onOpen: (row: Row) => void;
  readonly titleOf: (row: Row) => string;
  /** Whether a row does not match any more. It stays, greyed, until the list is read again. */
  readonly isGone?: (row: Row) => boolean;
  /** The editor of a cell, which calls `end` when it is done; `undefined` where the cell cannot be changed. */
  readonly editor?: (row: Row, column: Column, end: () => void) => ReactNode;
}

interface RowProps extends GridProps {
  readonly placed: readonly PlacedColumn[];
  readonly width: number;
  readonly active: { readonly row: number; readonly column: number };
  readonly pinnedLeft: number;
  readonly isEditing: boolean;
  readonly onEndEditing: () => void;
}

export function HeaderRow({ placed, width, columns, sorts, pinnedLeft, onSort, onResize }: RowProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a row of the grid
    <div role="row" aria-rowindex={1} className={styles['header']} style={{ width }} tabIndex={-1}>
      {placed.map(({ column, left, width: own }) => {
        const index = columns.indexOf(column);
        const path = sortPathOf(column);
        const sort = sorts.find((one) => one.path === path);
        const place = index === 0 ? { width: own + pinnedLeft } : { left: left + pinnedLeft, width: own };
        return (
          // biome-ignore lint/a11y/useSemanticElements: a cell of the grid
          <div
            key={column.name}
            role="columnheader"
            tabIndex={-1}
            aria-colindex={index + 1}
            aria-sort={sort ? (sort.isDescending ? 'descending' : 'ascending') : undefined}
            className={index === 0 ? styles['pinned'] : `${styles['cell']} ${isRight(column) ? styles['right'] : ''}`}
            style={place}
          >
            {index === 0 && pinnedLeft > 0 && <span className={styles['pick']} />}
            <ColumnTitle column={column} path={path} sort={sort} onSort={onSort} />
            <ColumnEdge column={column} width={own} onResize={onResize} />
          </div>
        );
      })}
    </div>
  );
}

interface ColumnTitleProps {
  readonly column: Column;
  readonly path: string | undefined;
  readonly sort: Sort | undefined;
  readonly onSort: GridProps['onSort'];
}

function ColumnTitle({ column, path, sort, onSort }: ColumnTitleProps) {
  const messages = useMessages();
  if (path === undefined) return <span className={styles['title']}>{column.name}</span>;
  return (
    <button
      type="button"
      tabIndex={-1}
      className={styles['sort']}
      title={messages.sortBy(column.name)}
      onClick={(event) => onSort(path, event.shiftKey)}
    >
      {column.name}
      {sort && <span aria-hidden="true">{sort.isDescending ? ' ↓' : ' ↑'}</span>}
    </button>
  );
}

/** The edge of a column, which a drag moves. The width is kept when the drag ends. */
function ColumnEdge({ column, width, onResize }: Pick<GridProps, 'onResize'> & { column: Column; width: number }) {
  const messages = useMessages();
  const begin = (down: PointerEvent<HTMLButtonElement>) => {
    const edge = down.currentTarget;
    edge.setPointerCapture(down.pointerId);
    const move = (event: globalThis.PointerEvent) =>
      onResize(column.name, Math.max(narrowest, Math.round(width + event.clientX - down.clientX)));
    edge.addEventListener('pointermove', move);
    edge.addEventListener('pointerup', () => edge.removeEventListener('pointermove', move), { once: true });
  };
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-label={messages.resize(column.name)}
      className={styles['resize']}
      onPointerDown={begin}
    />
  );
}

export interface BodyRowProps extends RowProps {
  readonly index: number;
  readonly top: number;
  readonly row: Row | undefined;
}

export function BodyRow(props: BodyRowProps) {
  const {
    index,
    top,
    row,
    placed,
    width,
    columns,
    selection,
    active,
    pinnedLeft,
    isBehind,
    isEditing,
    editor,
    onOpen,
    onEndEditing,
  } = props;
  const messages = useMessages();
  const isActive = active.row === index;
  const isGone = row !== undefined && props.isGone?.(row) === true;
  const isChosen = row && selection ? isSelected(selection, row.id) : undefined;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a row of the grid
    <div
      role="row"
      tabIndex={-1}
      aria-rowindex={index + 2}
      aria-selected={isChosen}
      data-id={row?.id}
      title={isGone ? messages.matchesNoMore : undefined}
      className={`${styles['row']} ${isActive ? styles['active'] : ''} ${isBehind || isGone ? styles['behind'] : ''}`}
      style={{ width, transform: `translateY(${top}px)`, top: 0 }}
    >
      {placed.map(({ column, left, width: own }) => {
        const at = columns.indexOf(column);
        const isPinned = at === 0;
        const look = isPinned ? styles['pinned'] : `${styles['cell']} ${isRight(column) ? styles['right'] : ''}`;
        return (
          // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles are cells of a grid, which have an index
          <div
            key={column.name}
            id={cellId(index, at)}
            data-row={index}
            data-column={at}
            role={isPinned ? 'rowheader' : 'gridcell'}
            tabIndex={-1}
            aria-colindex={at + 1}
            className={`${look} ${isActive && active.column === at ? styles['activeCell'] : ''}`}
            style={isPinned ? { width: own + pinnedLeft } : { left: left + pinnedLeft, width: own }}
          >
            {isPinned && <Pick {...props} />}
            {(isEditing && isActive && active.column === at && row && editor?.(row, column, onEndEditing)) || (
              <CellContent row={row} column={column} isTitle={isPinned} onOpen={onOpen} />
            )}
          </div>
        );
      })}
    </div>
  );
}

/** The key of a row leads to its record. */
export function CellContent({
  row,
  column,
  isTitle,
  onOpen,
}: Pick<BodyRowProps, 'row' | 'onOpen'> & { column: Column; isTitle: boolean }) {
  if (!row) return <span className={styles['skeleton']} />;
  if (!isTitle) return <CellValue row={row} column={column} />;
  return (
    <button type="button" tabIndex={-1} className={`${styles['sort']} ${styles['title']}`} onClick={() => onOpen(row)}>
      <CellValue row={row} column={column} />
    </button>
  );
}

export function Pick({ row, selection, onSelect, titleOf }: BodyRowProps) {
  const messages = useMessages();
  if (!selection || !onSelect) return null;
  return (
    <span className={styles['pick']}>
      <input
        type="checkbox"
        tabIndex={-1}
        disabled={!row}
        aria-label={row ? messages.selectRow(titleOf(row)) : messages.loading}
        checked={row !== undefined && isSelected(selection, row.id)}
        onChange={() => row && onSelect(toggled(selection, row.id))}
      />
    </span>
  );
}

export function cellId(row: number, column: number): string {
  return `cell-${row}-${column}`;
}
