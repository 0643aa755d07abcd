import { stripVTControlCharacters } from 'node:util';

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

const usualWidth = 78;

/**
 * Words in lines that fit, the first after `lead`, which is `indent` characters wide on the screen.
 *
 * @param width of the lines in characters.
 */
export function wrapWords(text: string, lead: string, indent: number, width = usualWidth): string[] {
  const lines = fillLines(text.split(' '), () => width - indent);
  return lines.map((part, index) => `${index === 0 ? lead : ' '.repeat(indent)}${part}`);
}

/**
 * Words in as few lines as hold them. A word that is longer than its line stays whole.
 *
 * @param room of a line by its number, in characters.
 */
function fillLines(words: readonly string[], room: (line: number) => number): string[] {
  const [first = '', ...others] = words;
  const lines: string[] = [];
  let line = first;
  for (const word of others) {
    if (line !== '' && widthOf(line) + 1 + widthOf(word) > room(lines.length)) {
      lines.push(line);
      line = word;
    } else line += line === '' ? word : ` ${word}`;
  }
  return [...lines, line];
}

/** In characters on the screen: codes of colours take none. */
export function widthOf(text: string): number {
  return [...stripVTControlCharacters(text)].length;
}
