import { codeFrameColumns } from '@babel/code-frame';

/**
 * The lines around a place, with a pointer under it. No colour: the terminal adds its own.
 *
 * @param line counts from 1.
 * @param column counts from 1; without it there is no pointer.
 */
export function codeFrame(source: string, line: number, column?: number): string {
  // The library counts columns from 0, and takes a place without a column, whatever its types say.
  const place = { line, ...(column === undefined ? {} : { column: column - 1 }) } as { line: number; column: number };
  return codeFrameColumns(source, { start: place }, { linesAbove: 2, linesBelow: 2 });
}
