import { memo, type PointerEvent, type ReactNode } from 'react';
import { useFirstMessages } from '../messages/index.ts';
import type { Column } from '../model/schema.ts';
import { CellValue, isRight, titleOf } from '../values/value.tsx';
import { isAddressable } from '../wire/agent.ts';
import { noId, type Row } from '../wire/records.ts';
import styles from './grid.module.css';
import type { PlacedColumn } from './grid-layout.ts';
import { type Sort, sortPathOf } from './list-state.ts';
import { type Choice, choosable, isNothing, isWhole, type Selection } from './selection.ts';
import type { Rows } from './use-rows.ts';

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
  /** The rows that are there, which the box in the header chooses, and the way to those of a range. */
  readonly rows?: Pick<Rows, 'loaded' | 'between'>;
  readonly onSort: (path: string, isAdded: boolean) => void;
  readonly onResize: (column: string, width: number) => void;
  readonly onRange: (first: number, last: number) => void;
  readonly onOpen: (row: Row) => void;
  /** The field that names a record. */
  readonly title: string;
  /** The address that the pages of records are below; `undefined` where the person may not open them. */
  readonly pages: string | undefined;
  /** Whether a row does not match any more. It stays, greyed, until the list is read again. */
  readonly isGone?: (row: Row) => boolean;
  /** The editor of a cell, which calls `end` when it is done; `undefined` where the cell cannot be changed. */
  readonly editor?: (row: Row, column: Column, end: () => void) => ReactNode;
  /** Somebody wants to change a cell that has no editor. */
  readonly onFixed?: (row: Row, column: Column) => void;
  readonly onFocus?: () => void;
}

interface HeaderProps extends Pick<GridProps, 'sorts' | 'onSort' | 'onResize' | 'selection' | 'rows'> {
  readonly choice: Choice | undefined;
  readonly placed: readonly PlacedColumn[];
  readonly width: number;
  readonly pinnedLeft: number;
}

export function HeaderRow(props: HeaderProps) {
  const { placed, width, sorts, pinnedLeft, onSort, onResize } = props;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a row of the grid
    <div role="row" aria-rowindex={1} className={styles['header']} style={{ width }} tabIndex={-1}>
      {placed.map(({ column, at: index, left, width: own }) => {
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
            {index === 0 && <PickLoaded {...props} />}
            <ColumnTitle column={column} path={path} sort={sort} onSort={onSort} />
            <ColumnEdge column={column} width={own} onResize={onResize} />
          </div>
        );
      })}
    </div>
  );
}

/** Chooses the rows that are loaded. All that match are a button away then. */
export function PickLoaded({ selection, rows, choice }: Pick<HeaderProps, 'selection' | 'rows' | 'choice'>) {
  const { selectLoaded, code } = useFirstMessages();
  if (!selection || !choice || !rows) return null;
  const { loaded } = rows;
  const isAll = isWhole(selection, loaded);
  const { size } = choosable(loaded);
  const label = selectLoaded(size, new Intl.NumberFormat(code).format(size));
  return (
    <span className={styles['pick']}>
      <input
        ref={(box) => {
          if (box) box.indeterminate = !isAll && !isNothing(selection);
        }}
        type="checkbox"
        tabIndex={-1}
        disabled={size === 0}
        aria-label={label}
        title={label}
        checked={isAll}
        onChange={choice.toggleLoaded}
      />
    </span>
  );
}

interface ColumnTitleProps {
  readonly column: Column;
  readonly path: string | undefined;
  readonly sort: Sort | undefined;
  readonly onSort: GridProps['onSort'];
}

function ColumnTitle({ column, path, sort, onSort }: ColumnTitleProps) {
  const messages = useFirstMessages();
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
  const messages = useFirstMessages();
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

/** What a row shows. It is drawn again when one of these is another one, and not with every row beside it. */
export interface BodyRowProps {
  readonly index: number;
  readonly top: number;
  readonly row: Row | undefined;
  readonly placed: readonly PlacedColumn[];
  readonly width: number;
  readonly pinnedLeft: number;
  /** The field that names a record. */
  readonly title: string;
  readonly pages: string | undefined;
  readonly isBehind: boolean;
  readonly isGone: boolean;
  /** `undefined` where nothing can be chosen. */
  readonly isChosen: boolean | undefined;
  /** The column of the active cell; -1 in all other rows. */
  readonly activeColumn: number;
  /** The column of the cell that somebody changes; -1 in all other rows. */
  readonly editedColumn: number;
  /** Replaces that cell. */
  readonly editor: ReactNode;
  readonly acts: RowActs;
  /** The zone that times are shown in. */
  readonly zone: string;
}

/** What people do with a row. These stay the same as long as the grid is there. */
export interface RowActs {
  open(row: Row): void;
  /** @param isRange whether all rows from the active one are meant too */
  choose(row: Row, index: number, isRange: boolean): void;
}

export const BodyRow = memo(function BodyRow(props: BodyRowProps) {
  const { index, top, row, placed, width, pinnedLeft, pages, isBehind, isGone, isChosen, acts } = props;
  const { activeColumn, editedColumn, editor } = props;
  const messages = useFirstMessages();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a row of the grid
    <div
      role="row"
      tabIndex={-1}
      aria-rowindex={index + 2}
      aria-selected={row && isChosen}
      data-id={row?.id}
      data-edited={editedColumn < 0 ? undefined : ''}
      title={isGone ? messages.matchesNoMore : undefined}
      className={`${styles['row']} ${activeColumn >= 0 ? styles['active'] : ''} ${isBehind || isGone ? styles['behind'] : ''}`}
      style={{ width, transform: `translateY(${top}px)`, top: 0 }}
    >
      {placed.map(({ column, at, left, width: own }) => {
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
            className={`${look} ${activeColumn === at ? styles['activeCell'] : ''} ${editedColumn === at ? styles['editedCell'] : ''}`}
            style={isPinned ? { width: own + pinnedLeft } : { left: left + pinnedLeft, width: own }}
          >
            {isPinned && <PickRow {...props} />}
            {(editedColumn === at && editor) || (
              <CellContent row={row} column={column} isTitle={isPinned} pages={pages} acts={acts} />
            )}
          </div>
        );
      })}
    </div>
  );
});

/** What heads a row leads to its record: a click opens it here, and the keys of the browser in another tab. */
export function CellContent({
  row,
  column,
  isTitle,
  pages,
  acts,
}: Pick<BodyRowProps, 'row' | 'pages' | 'acts'> & { column: Column; isTitle: boolean }) {
  if (!row) return <Skeleton isTitle={isTitle} />;
  const value = <CellValue row={row} column={column} />;
  if (!isTitle) return value;
  if (pages === undefined) return <span className={styles['title']}>{value}</span>;
  const look = `${styles['sort']} ${styles['title']}`;
  if (!isAddressable(row.id)) {
    // It says why there is no page.
    return (
      <button type="button" tabIndex={-1} className={look} onClick={() => acts.open(row)}>
        {value}
      </button>
    );
  }
  return (
    <a
      href={`${pages}/${encodeURIComponent(row.id)}`}
      tabIndex={-1}
      className={look}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        acts.open(row);
      }}
    >
      {value}
    </a>
  );
}

/** Stands for a value that is on its way. What heads a row says so. */
function Skeleton({ isTitle }: { readonly isTitle: boolean }) {
  const { loading } = useFirstMessages();
  const named = isTitle ? ({ role: 'img', 'aria-label': loading } as const) : {};
  return <span className={styles['skeleton']} {...named} />;
}

export function PickRow({ row, index, isChosen, title, acts }: BodyRowProps) {
  const messages = useFirstMessages();
  if (isChosen === undefined) return null;
  return (
    <span className={styles['pick']}>
      <input
        type="checkbox"
        tabIndex={-1}
        disabled={!row || row.id === noId}
        aria-label={row ? messages.selectRow(titleOf(row, title)) : messages.loading}
        checked={row !== undefined && isChosen}
        // A box changes by a click, which knows the keys.
        onChange={({ nativeEvent }) =>
          row && acts.choose(row, index, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
        }
      />
    </span>
  );
}

export function cellId(row: number, column: number): string {
  return `cell-${row}-${column}`;
}
