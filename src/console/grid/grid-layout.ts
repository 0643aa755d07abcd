import type { Column } from '../model/schema.ts';
import { fieldTypeOf } from '../values/field-type.ts';
import { own } from '../wire/own.ts';

/** Chromium cuts an element off at this height; a list of a million rows is higher. */
const highestElement = 33_000_000;
/** Rows and columns beyond the edge, so that a scroll does not show a gap. */
const rowsBeyond = 8;
const pixelsBeyond = 300;

export interface PlacedColumn {
  readonly column: Column;
  /** Its place among all columns. */
  readonly at: number;
  readonly left: number;
  readonly width: number;
}

/** Where columns stand, from the left edge. The first one stays in sight. */
export function placeColumns(
  columns: readonly Column[],
  widths: Readonly<Record<string, number>>,
): readonly PlacedColumn[] {
  let left = 0;
  return columns.map((column, at) => {
    const width = own(widths, column.name) ?? Math.max(widthOf(column), Math.min(column.name.length * 8 + 24, 200));
    const placed = { column, at, left, width };
    left += width;
    return placed;
  });
}

/** The columns that are in sight, the first one, and the one that somebody changes. */
export function visibleColumns(
  placed: readonly PlacedColumn[],
  scrollLeft: number,
  width: number,
  edited?: number,
): readonly PlacedColumn[] {
  return placed.filter(
    ({ left, width: own }, index) =>
      index === 0 ||
      index === edited ||
      (left + own > scrollLeft - pixelsBeyond && left < scrollLeft + width + pixelsBeyond),
  );
}

function widthOf({ field, relation }: Column): number {
  if (relation) return 180;
  switch (fieldTypeOf(field.type)) {
    case 'Boolean':
      return 90;
    case 'Number':
      return 130;
    case 'Dateonly':
    case 'Time':
    case 'Enum':
      return 130;
    case 'Date':
      return 230;
    case 'Uuid':
      return 300;
    default:
      return 190;
  }
}

export interface RowLayout {
  /** Height of the element that scrolls, in pixels. */
  readonly height: number;
  /** The first and the last row in sight. */
  readonly first: number;
  readonly last: number;
  /** Where a row stands, from the top of that element. */
  topOf(index: number): number;
  /** The scroll position that shows a row, if it is not in sight. */
  scrollTo(index: number): number | undefined;
}

interface Viewport {
  readonly scrollTop: number;
  readonly height: number;
}

/** Rows of one height. Where all of them are higher than an element can be, a pixel of the scroll bar stands for more than one. */
export function layRows(count: number, rowHeight: number, { scrollTop, height }: Viewport): RowLayout {
  const whole = count * rowHeight;
  const element = Math.min(whole, highestElement);
  const scrollable = Math.max(element - height, 1);
  const scale = element < whole ? (whole - height) / scrollable : 1;
  const top = scrollTop * scale;
  const first = Math.max(0, Math.floor(top / rowHeight) - rowsBeyond);
  const last = Math.max(first, Math.min(count - 1, Math.ceil((top + height) / rowHeight) + rowsBeyond));
  return {
    height: element,
    first,
    last,
    topOf: (index) => scrollTop + index * rowHeight - top,
    scrollTo: (index) => {
      const start = index * rowHeight;
      if (start >= top && start + rowHeight <= top + height) return undefined;
      const wanted = start < top ? start : start + rowHeight - height;
      return wanted / scale;
    },
  };
}
