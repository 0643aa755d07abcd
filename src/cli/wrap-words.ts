const usualWidth = 78;

/**
 * Words in lines that fit, the first after `lead`, which is `indent` characters wide on the screen.
 *
 * @param width of the lines in characters.
 */
export function wrapWords(text: string, lead: string, indent: number, width = usualWidth): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent + line.length + word.length >= width) {
      lines.push(line);
      line = '';
    }
    line += line === '' ? word : ` ${word}`;
  }
  return [...lines, line].map((part, index) => `${index === 0 ? lead : ' '.repeat(indent)}${part}`);
}
