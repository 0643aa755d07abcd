import { memo } from 'react';
import { look } from '../design/first-controls.tsx';
import { useFirstMessages } from '../messages/index.ts';
import { CellValue } from '../values/value.tsx';
import styles from './grid.module.css';
import { type BodyRowProps, CellContent, cellId, type GridProps, PickLoaded, PickRow } from './grid-rows.tsx';
import { type Choice, choosable } from './selection.ts';

interface CardHeaderProps extends Required<Pick<GridProps, 'selection' | 'rows'>> {
  readonly choice: Choice | undefined;
}

/** Stands above the cards and has the one thing of a header that cards do not: the box that chooses all of them. */
export function CardHeader(props: CardHeaderProps) {
  const { selectLoaded, code } = useFirstMessages();
  const { size } = choosable(props.rows.loaded);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a row of the grid
    <div role="row" aria-rowindex={1} className={styles['header']} style={{ width: '100%' }} tabIndex={-1}>
      {/* biome-ignore lint/a11y/useSemanticElements: a cell of the grid */}
      <div role="columnheader" tabIndex={-1} aria-colindex={1}>
        {/* biome-ignore lint/a11y/noLabelWithoutControl: its control is the box */}
        <label className={styles['cardHeader']}>
          <PickLoaded {...props} />
          <span className={look.small}>{selectLoaded(size, new Intl.NumberFormat(code).format(size))}</span>
        </label>
      </div>
    </div>
  );
}

/** A row on a narrow screen: its cells below each other, each with its name. */
export const CardRow = memo(function CardRow(props: BodyRowProps) {
  const { index, top, row, placed, pages, isBehind, isGone, isChosen, activeColumn, acts } = props;
  const { editedColumn, editor } = props;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a row of the grid
    <div
      role="row"
      tabIndex={-1}
      aria-rowindex={index + (isChosen === undefined ? 1 : 2)}
      aria-selected={row && isChosen}
      data-id={row?.id}
      data-edited={editedColumn < 0 ? undefined : ''}
      className={`${styles['card']} ${activeColumn >= 0 ? styles['active'] : ''} ${isBehind || isGone ? styles['behind'] : ''}`}
      style={{ transform: `translateY(${top}px)` }}
    >
      {placed.map(({ column, at }, place) => {
        const isTitle = place === 0;
        return (
          // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles are cells of a grid, which have an index
          <div
            key={column.name}
            id={cellId(index, at)}
            data-row={index}
            data-column={at}
            role={isTitle ? 'rowheader' : 'gridcell'}
            tabIndex={-1}
            aria-colindex={at + 1}
            className={`${styles['cardCell']} ${activeColumn === at ? styles['activeCell'] : ''} ${editedColumn === at ? styles['editedCell'] : ''}`}
          >
            {isTitle ? <PickRow {...props} /> : <span className={styles['cardLabel']}>{column.name}</span>}
            {(editedColumn === at && editor) ||
              (isTitle ? (
                <CellContent row={row} column={column} isTitle pages={pages} acts={acts} />
              ) : (
                row && (
                  <span className={styles['cardValue']}>
                    <CellValue row={row} column={column} />
                  </span>
                )
              ))}
          </div>
        );
      })}
    </div>
  );
});
