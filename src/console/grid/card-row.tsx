import { CellValue } from '../values/value.tsx';
import styles from './grid.module.css';
import { type BodyRowProps, CellContent, cellId, Pick } from './grid-rows.tsx';
import { isSelected } from './selection.ts';

/** A row on a narrow screen: its cells below each other, each with its name. */
export function CardRow(props: BodyRowProps) {
  const { index, top, row, placed, columns, selection, active, isBehind, isEditing, editor, onOpen, onEndEditing } =
    props;
  const isChosen = row && selection ? isSelected(selection, row.id) : undefined;
  const isActive = active.row === index;
  const isGone = row !== undefined && props.isGone?.(row) === true;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a row of the grid
    <div
      role="row"
      tabIndex={-1}
      aria-rowindex={index + 1}
      aria-selected={isChosen}
      data-id={row?.id}
      className={`${styles['card']} ${isActive ? styles['active'] : ''} ${isBehind || isGone ? styles['behind'] : ''}`}
      style={{ transform: `translateY(${top}px)` }}
    >
      {placed.map(({ column }) => {
        const at = columns.indexOf(column);
        const isTitle = at === 0;
        const isEdited = isEditing && isActive && active.column === at && row !== undefined;
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
            className={`${styles['cardCell']} ${isActive && active.column === at ? styles['activeCell'] : ''}`}
          >
            {isTitle ? <Pick {...props} /> : <span className={styles['cardLabel']}>{column.name}</span>}
            {(isEdited && editor?.(row, column, onEndEditing)) ||
              (isTitle ? (
                <CellContent row={row} column={column} isTitle onOpen={onOpen} />
              ) : (
                row && <CellValue row={row} column={column} />
              ))}
          </div>
        );
      })}
    </div>
  );
}
