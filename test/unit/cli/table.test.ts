import { describe, expect, it } from 'vitest';
import { renderTable } from '#cli/table';

describe('renderTable', () => {
  it('aligns the columns', () => {
    expect(
      renderTable(
        ['A', 'NAME'],
        [
          ['1', 'x'],
          ['22', 'yy'],
        ],
      ),
    ).toBe('A   NAME\n1   x\n22  yy');
  });

  it('cuts what does not fit into the width', () => {
    const [, line = ''] = renderTable(['N', 'TEXT'], [['1', 'long '.repeat(40)]], 80).split('\n');
    expect(line).toHaveLength(80);
    expect(line.endsWith('…')).toBe(true);
  });

  it('lets text of others neither break a row nor steer the terminal', () => {
    expect(renderTable(['TEXT'], [['a\nb\u001b[2J\u0007c']])).toBe('TEXT\na b c');
  });

  it('shows the header alone where there is no row', () => {
    expect(renderTable(['A', 'B'], [])).toBe('A  B');
  });
});
