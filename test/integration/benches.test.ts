import path from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import type { BenchReport } from '../../bench/bench-report.ts';
import { benches } from '../../bench/benches.ts';
import { budgets, notInQuickRuns } from '../../bench/budgets.ts';

const root = path.resolve(import.meta.dirname, '../..');
const timeoutMs = 20 * 60_000;

describe('a quick benchmark', { tags: 'long', timeout: timeoutMs }, () => {
  it.each(Object.keys(benches))('of %s measures each figure that has a budget', async (name) => {
    // The commands would look for the sources of this repository, as oclif does in tests.
    const env = { NODE_ENV: undefined };
    const { stdout } = await execa('npm', ['run', '-s', 'bench', '--', name, '--quick', '--json'], { cwd: root, env });
    const { figures } = JSON.parse(stdout.slice(stdout.indexOf('{'))) as BenchReport;
    const left = notInQuickRuns[name] ?? [];
    const expected = Object.keys(budgets[name] ?? {}).filter(
      (figure) => !left.some((begin) => figure.startsWith(begin)),
    );
    const missing = expected.filter((figure) => !Number.isFinite(figures[figure]));
    expect({ name, missing, count: Object.keys(figures).length > 0 }).toEqual({ name, missing: [], count: true });
  });
});
