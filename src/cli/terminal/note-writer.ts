import { stripVTControlCharacters } from 'node:util';

/** Notes, and a line that is kept below them. */
export interface NoteWriter {
  note(line: string): void;
  /** Keep a line below everything that is noted from now on; an empty one takes it away. Where it cannot be kept, it is noted once. */
  pin(line: string): void;
}

/** Go to the beginning of the line, and empty it. */
const eraseLine = '\r\u001B[2K';

/** @param columns Width of the terminal; 0 for none, where nothing can be pinned. */
export function createNoteWriter(write: (text: string) => void, columns: () => number): NoteWriter {
  let pinned = '';
  const note = (line: string) => write(pinned === '' ? `${line}\n` : `${eraseLine}${line}\n${pinned}`);
  return {
    note,
    pin(line) {
      if (stripVTControlCharacters(line).length >= columns()) return line === '' ? undefined : note(line);
      write(`${pinned === '' ? '' : eraseLine}${line}`);
      pinned = line;
    },
  };
}
