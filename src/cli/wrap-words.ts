const widest = 78;

/** Words in lines that fit, the first after `lead`, which is `indent` characters wide on the screen. */
export function wrapWords(text: string, lead: string, indent: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && indent + line.length + word.length >= widest) {
      lines.push(line);
      line = '';
    }
    line += line === '' ? word : ` ${word}`;
  }
  return [...lines, line].map((part, index) => `${index === 0 ? lead : ' '.repeat(indent)}${part}`);
}
