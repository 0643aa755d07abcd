import { stripVTControlCharacters } from 'node:util';
import type { Terminal } from './terminal.ts';
import { widthOf } from './wrap-text.ts';

const gap = '  ';

/** A date, with a time or without one. A part of it tells something else or nothing. */
const timePattern = /^\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?$/;

/** What is left of a title that makes room for times, in characters. */
const shortestTitle = 6;

/**
 * Rows as aligned columns, below their titles. A terminal gets them cut to its width, the widest columns first, titles after them and
 * times last; a pipe gets all of them.
 */
export function renderTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  { resultColumns, resultStyle }: Pick<Terminal, 'resultColumns' | 'resultStyle'>,
): string {
  const cells = [header, ...rows].map((row) => row.map(singleLine));
  const natural = header.map((_, column) => Math.max(...cells.map((row) => widthOf(row[column] ?? ''))));
  const available = resultColumns - gap.length * (header.length - 1);
  const isTime = natural.map((width, column) =>
    cells.some((row) => widthOf(row[column] ?? '') === width && timePattern.test(row[column] ?? '')),
  );
  const widths = fitted(natural, leastWidths(header.map(widthOf), natural, isTime, available), available);
  const [titles = '', ...lines] = cells.map((row) => {
    const columns = row.map((cell, column) => pad(cutTo(cell, widths[column] ?? 0), widths[column] ?? 0));
    return cutTo(columns.join(gap).trimEnd(), resultColumns);
  });
  return [resultStyle.bold(titles), ...lines].join('\n');
}

/** How far each column may be cut. Times stay whole where short titles leave room for them. */
function leastWidths(
  titles: readonly number[],
  natural: readonly number[],
  isTime: readonly boolean[],
  available: number,
): readonly number[] {
  if (!isTime.includes(true)) return titles;
  const besideTimes = (least: (title: number) => number) =>
    titles.map((title, column) => (isTime[column] ? (natural[column] ?? 0) : least(title)));
  const shortest = besideTimes((title) => Math.min(title, shortestTitle));
  return sumOf(shortest) > available
    ? titles
    : fitted(
        besideTimes((title) => title),
        shortest,
        available,
      );
}

/** Widths that come to no more than `available`, if the least ones do. */
function fitted(natural: readonly number[], least: readonly number[], available: number): readonly number[] {
  const widths = [...natural];
  for (let over = sumOf(widths) - available; over > 0; over--) {
    const wide = widths.map((width, column) => (width > (least[column] ?? 0) ? width : 0));
    const widest = wide.indexOf(Math.max(...wide));
    if (wide[widest] === 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function sumOf(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0);
}

/** Foreign text must neither break a row, nor control the terminal, nor turn round what stands beside it. */
export function singleLine(text: string): string {
  return stripVTControlCharacters(text).replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu, ' ');
}

/** A text in at most `width` characters. What is longer ends in `…`. */
function cutTo(text: string, width: number): string {
  const characters = [...text];
  return characters.length > width ? `${characters.slice(0, width - 1).join('')}…` : text;
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** A text in at most `width` characters. What is longer ends in `…`. */
type CutText = (text: string, width: number) => string;

/** Cuts the long names of a table, so that a terminal of 80 columns shows those beside them. A pipe gets them whole. */
export function cutTextFor({ resultColumns }: Pick<Terminal, 'resultColumns'>): CutText {
  return Number.isFinite(resultColumns) ? (text, width) => cutTo(singleLine(text), width) : singleLine;
}
