import { stripVTControlCharacters } from 'node:util';

/** Rows as aligned columns, the last one cut so that a line fits in `width` characters. */
export function renderTable(header: readonly string[], rows: readonly (readonly string[])[], width = 80): string {
  const cells = [header, ...rows].map((row) => row.map(singleLine));
  const widths = header.map((_, column) => Math.max(...cells.map((row) => lengthOf(row[column] ?? ''))));
  return cells
    .map((row) => {
      const line = row
        .map((cell, column) => (column === row.length - 1 ? cell : pad(cell, widths[column] ?? 0)))
        .join('  ');
      return lengthOf(line) > width ? `${line.slice(0, width - 1)}…` : line;
    })
    .join('\n');
}

/** Foreign text must neither break a row nor control the terminal. */
export function singleLine(text: string): string {
  return stripVTControlCharacters(text).replace(/\p{Cc}+/gu, ' ');
}

function lengthOf(text: string): number {
  return [...text].length;
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - lengthOf(text)));
}
