import { expect, it } from 'vitest';
import { createStyle } from '#cli/terminal/terminal';

it('colours texts, goes on with the outer colour after an inner one, and paints no empty text', () => {
  const { bold, green, red } = createStyle(true);
  expect(green(`a${red('b')}c`)).toBe('\u001b[32ma\u001b[31mb\u001b[32mc\u001b[39m');
  expect(bold(7)).toBe('\u001b[1m7\u001b[22m');
  expect(green('')).toBe('');
});

it('leaves texts as they are without colours, whatever the variables of the process say', () => {
  const { hasColor, green, bold } = createStyle(false);
  expect([hasColor, green('a'), bold(7)]).toEqual([false, 'a', '7']);
});
