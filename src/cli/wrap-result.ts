import { fillLines, widthOf } from './wrap-words.ts';

/**
 * Lines that are too long for a terminal, broken between words, the rest of each indented below it. A command at the end of a line stays
 * whole where a line has room for it, so that it can be copied.
 *
 * @param columns of the terminal; a pipe has no end of them and gets the lines as they are.
 */
export function wrapResult(text: string, columns: number): string {
  if (!Number.isFinite(columns)) return text;
  return text
    .split('\n')
    .flatMap((line) => (widthOf(line) > columns ? brokenLine(line, columns) : [line]))
    .join('\n');
}

function brokenLine(line: string, columns: number): string[] {
  const [indent = ''] = /^ */.exec(line) ?? [];
  const next = `${indent}  `;
  const words = wordsOf(line.slice(indent.length), columns - next.length);
  const lines = fillLines(words, (number) => columns - (number === 0 ? indent : next).length);
  return lines.map((part, number) => `${number === 0 ? indent : next}${part.trimEnd()}`);
}

/** The words of a line; a command at its end is one of them if it fits into `room` characters. */
function wordsOf(line: string, room: number): string[] {
  const command = /(?<=: )vendor-cloud .*$/.exec(line);
  if (!command || widthOf(command[0]) > room) return line.split(' ');
  return [...line.slice(0, command.index - 1).split(' '), command[0]];
}
