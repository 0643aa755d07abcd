import { stripVTControlCharacters } from 'node:util';

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
export function fillLines(words: readonly string[], room: (line: number) => number): string[] {
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
