import { codeFrameColumns } from '@babel/code-frame';

const linesAround = 2;
/** With the numbers beside it and the indent of a message, a line fits into a terminal of 80 columns. */
const longestLine = 68;

/**
 * The lines around a place, with a pointer under it. No colour: the terminal adds its own. Of long lines it has the part around the pointer.
 *
 * @param line counts from 1.
 * @param column counts from 1; without it there is no pointer.
 */
export function codeFrame(source: string, line: number, column?: number): string {
  const lines = source.split('\n');
  const shown = lines.slice(Math.max(0, line - 1 - linesAround), line + linesAround);
  const isLong = shown.some((text) => text.length > longestLine);
  // The pointer is in the middle; one near the start of its line leaves the lines where they begin.
  const start = isLong && column !== undefined ? Math.max(0, column - 1 - Math.floor(longestLine / 2)) : 0;
  const text = isLong ? lines.map((each) => partOf(each, start)).join('\n') : source;
  // The library counts columns from 0, and takes a place without a column, whatever its types say.
  const place = { line, ...(column === undefined ? {} : { column: column - 1 - start }) };
  return codeFrameColumns(
    text,
    { start: place as { line: number; column: number } },
    { linesAbove: linesAround, linesBelow: linesAround },
  );
}

/** What of a line is shown, with an ellipsis where it is cut. */
function partOf(line: string, start: number): string {
  const part = line.slice(start, start + longestLine);
  const head = start > 0 && part !== '' ? `…${part.slice(1)}` : part;
  return line.length > start + longestLine ? `${head.slice(0, -1)}…` : head;
}
