import { describe, expect, it } from 'vitest';
import { cutTextFor, renderTable } from '#cli/terminal/table';
import { plainTerminal } from '../../../helpers/plain-terminal.ts';

describe('renderTable', () => {
  it('aligns the columns', () => {
    expect(
      renderTable(
        ['A', 'NAME'],
        [
          ['1', 'x'],
          ['22', 'yy'],
        ],
        plainTerminal(),
      ),
    ).toBe('A   NAME\n1   x\n22  yy');
  });

  it('cuts what does not fit into the width', () => {
    const [, line = ''] = renderTable(['N', 'TEXT'], [['1', 'long '.repeat(40)]], plainTerminal(80)).split('\n');
    expect(line).toHaveLength(80);
    expect(line.endsWith('…')).toBe(true);
  });

  it('lets text of others neither break a row nor steer the terminal', () => {
    expect(renderTable(['TEXT'], [['a\nb\u001b[2J\u0007c']], plainTerminal())).toBe('TEXT\na b c');
  });

  it('lets text of others turn round nothing', () => {
    expect(renderTable(['FILE'], [['invoice\u202efdp.exe'], ['a\u2066b\u2028c']], plainTerminal())).toBe(
      'FILE\ninvoice fdp.exe\na b c',
    );
  });

  it('shows the header alone where there is no row', () => {
    expect(renderTable(['A', 'B'], [], plainTerminal())).toBe('A  B');
  });

  it('cuts the widest columns first, and no title', () => {
    const row = ['a name of forty characters, or so it seems', '7', 'a comment that is a little shorter'];
    expect(renderTable(['NAME', 'NUMBER', 'WHAT IT SAYS'], [row], plainTerminal(50))).toBe(
      'NAME                  NUMBER  WHAT IT SAYS\na name of forty cha…  7       a comment that is a…',
    );
  });

  it.each(['2026-03-01', '2026-03-01 10:20', '2026-03-01 10:20:30', '2026-03-01T10:20:30.000Z'])(
    'keeps times whole, and cuts what stands beside them: %s',
    (time) => {
      const row = [time, 'somebody@example.test', 'text that goes on and on'];
      const table = renderTable(['TIME', 'WHO', 'WHAT IT SAYS'], [row, ['', 'x', 'y']], plainTerminal(50));
      const [, line = ''] = table.split('\n');
      expect(line.startsWith(`${time}  somebody`)).toBe(true);
      expect(line.length).toBeLessThanOrEqual(50);
    },
  );

  it('cuts titles rather than times, and times where there is room for nothing else', () => {
    const header = ['DEPLOYMENT', 'TIME (UTC)', 'ENVIRONMENT'];
    const row = ['1', '2026-03-01 10:20', 'production'];
    expect(renderTable(header, [row], plainTerminal(36))).toBe(
      'DEPLOYM…  TIME (UTC)        ENVIRON…\n1         2026-03-01 10:20  product…',
    );
    const [, line = ''] = renderTable(header, [row], plainTerminal(24)).split('\n');
    expect(line).toHaveLength(24);
  });

  it('cuts characters whole', () => {
    expect(renderTable(['T'], [['👋👋👋👋👋👋']], plainTerminal(4))).toBe('T\n👋👋👋…');
  });
});

it('a terminal gets long names cut to the width', () => {
  const cut = cutTextFor({ resultColumns: 80 });
  expect(cut('Seed maintenance', 8)).toBe('Seed ma…');
  expect(cut('Seed', 4)).toBe('Seed');
  expect(cut('🌱🌱🌱', 2)).toBe('🌱…');
});

it('a pipe gets names whole, on one line', () => {
  const cut = cutTextFor({ resultColumns: Number.POSITIVE_INFINITY });
  expect(cut('Seed\nmaintenance', 8)).toBe('Seed maintenance');
});
