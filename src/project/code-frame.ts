import { codeFrameColumns } from '@babel/code-frame';

/** The lines around a place, with a pointer under it. No colour: the terminal adds its own. */
export function codeFrame(source: string, line: number, column?: number): string {
  const start = column === undefined ? { line, column: 0 } : { line, column };
  return codeFrameColumns(source, { start }, { linesAbove: 2, linesBelow: 2 });
}
