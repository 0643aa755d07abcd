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
});
