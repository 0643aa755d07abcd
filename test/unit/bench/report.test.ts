import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { benches } from '../../../bench/benches.ts';
import { budgets, isWithin } from '../../../bench/budgets.ts';
import { formatReport } from '../../../bench/format-report.ts';

const run = (...words: string[]) =>
  promisify(execFile)(process.execPath, ['--conditions=source', path.resolve('bench/run.ts'), ...words]).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );

describe('a budget', () => {
  it('holds up to its limit, the limit included', () => {
    expect([79.9, 80, 80.1].map((value) => isWithin({ atMost: 80 }, value))).toEqual([true, true, false]);
    expect([0.69, 0.7, 0.9].map((value) => isWithin({ atLeast: 0.7 }, value))).toEqual([false, true, true]);
  });

  it('does not hold for a figure that is not a number', () => {
    expect(isWithin({ atMost: 1 }, Number.NaN)).toBe(false);
  });

  it('belongs to a bench that there is', () => {
    expect(Object.keys(benches)).toEqual(expect.arrayContaining(Object.keys(budgets)));
  });
});

describe('the table of a report', () => {
  it('aligns the figures and tells which budgets hold', () => {
    const report = { name: 'sample', figures: { p95Ms: 81.25, share: 0.9, saves: 200 } };
    expect(formatReport(report, { p95Ms: { atMost: 80 }, share: { atLeast: 0.7 } })).toBe(
      [
        'bench sample',
        'figure  value  budget  verdict',
        'p95Ms   81.25  ≤ 80    MISSED',
        'share     0.9  ≥ 0.7   ok',
        'saves     200',
      ].join('\n'),
    );
  });
});

describe('bench/run.ts', () => {
  it.each([
    ['no name', [], 'Which bench?'],
    ['an unknown name', ['nothing'], 'There is no bench "nothing".'],
    ['an inherited name', ['toString'], 'There is no bench "toString".'],
    ['two names', ['reload', 'startup'], 'There is no bench "reload startup".'],
    ['an unknown flag', ['reload', '--slow'], "Unknown option '--slow'"],
  ])('lists the benches and exits with 2 for %s', async (_what, words, problem) => {
    const { code, stdout, stderr } = await run(...words);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(problem);
    for (const [name, { summary }] of Object.entries(benches))
      expect(stderr).toMatch(new RegExp(`${name} +${summary}`));
  });
});
