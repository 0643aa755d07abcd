import { cutTo, singleLine } from './table.ts';
import type { Terminal } from './terminal.ts';

/** A text in at most `width` characters. What is longer ends in `…`. */
export type CutText = (text: string, width: number) => string;

/** Cuts the long names of a table, so that a terminal of 80 columns shows those beside them. A pipe gets them whole. */
export function cutTextFor({ resultColumns }: Pick<Terminal, 'resultColumns'>): CutText {
  return Number.isFinite(resultColumns) ? (text, width) => cutTo(singleLine(text), width) : singleLine;
}
