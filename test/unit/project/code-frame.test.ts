import { describe, expect, it } from 'vitest';
import { codeFrame } from '../../../src/project/code-frame.ts';

const source = 'const a = 1;\nconst bc = a + d;\nexport { bc };';

describe('a code frame', () => {
  it('points at the character of its column, the first one being 1', () => {
    expect(codeFrame(source, 2, 1)).toBe(
      ['  1 | const a = 1;', '> 2 | const bc = a + d;', '    | ^', '  3 | export { bc };'].join('\n'),
    );
    expect(codeFrame(source, 2, 16).split('\n')[2]).toBe(`    | ${' '.repeat(15)}^`);
  });

  it('marks the line alone where no column is known', () => {
    expect(codeFrame(source, 3)).toBe(
      ['  1 | const a = 1;', '  2 | const bc = a + d;', '> 3 | export { bc };'].join('\n'),
    );
  });

  it.each([200, 3, 70, 240])('shows the part of long lines around column %d, within 80 columns', (column) => {
    const long = Array.from({ length: 240 }, (_none, index) => String.fromCharCode(97 + (index % 26))).join('');
    const frame = codeFrame(`short\n${long}\nconst after = 1;`, 2, column).split('\n');
    expect(Math.max(...frame.map((text) => text.length))).toBeLessThanOrEqual(78);
    const [line = '', pointer = ''] = frame.slice(frame.findIndex((text) => text.startsWith('>')));
    expect(line[pointer.indexOf('^')]).toBe(long[column - 1]);
    expect([line.includes('| …'), line.endsWith('…')]).toEqual([column > 35, column < 207]);
  });
});
