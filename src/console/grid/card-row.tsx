import { memo } from 'react';
import { CellValue } from '../values/value.tsx';
import styles from './grid.module.css';
import { type BodyRowProps, CellContent, cellId, PickRow } from './grid-rows.tsx';

/** A row on a narrow screen: its cells below each other, each with its name. */
export const CardRow = memo(function CardRow(props: BodyRowProps) {
  const { index, top, row, placed, pages, isBehind, isGone, isChosen, activeColumn, editor, acts } = props;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a row of the grid
    <div
      role="row"
      tabIndex={-1}
      aria-rowindex={index + 1}
      aria-selected={row && isChosen}
      data-id={row?.id}
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
            className={`${styles['cardCell']} ${activeColumn === at ? styles['activeCell'] : ''}`}
          >
            {isTitle ? <PickRow {...props} /> : <span className={styles['cardLabel']}>{column.name}</span>}
            {(activeColumn === at && editor) ||
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
