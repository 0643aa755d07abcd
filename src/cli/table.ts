import { stripVTControlCharacters } from 'node:util';

/**
 * Rows as aligned columns.
 *
 * @param width in characters; longer lines are cut. That of the terminal by default, and none in a pipe: a program reads all of it.
 */
export function renderTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  width = process.stdout.columns ?? Number.POSITIVE_INFINITY,
): string {
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
