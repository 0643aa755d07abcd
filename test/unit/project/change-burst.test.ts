import { rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ChangeBurst } from '#project/change-burst';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

/** A burst of changes, and what it tells: paths are those below the folder. Time passes when a test says so. */
async function startBurst() {
  const folder = await temporaryFolder();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const told: string[] = [];
  const burst = new ChangeBurst({
    onStir: () => told.push('stir'),
    onChange: (changed, isAsAtStir) => {
      const names = changed.map((file) => path.relative(folder, file)).join(', ');
      told.push(`${names} changed${isAsAtStir ? ', as at stir' : ''}`);
    },
  });
  const at = (name: string) => path.join(folder, name);
  const write = (name: string, text: string) => writeFileSync(at(name), text);
  const report = (name: string) => burst.add(at(name), statSync(at(name), { throwIfNoEntry: false }));
  return { at, write, report, told, pass: (ms: number) => vi.advanceTimersByTime(ms) };
}

describe('a burst of changes', () => {
  it('waits with the stir until a file that was emptied is written, and ends soon after that', async () => {
    const { write, report, told, pass } = await startBurst();
    write('a.ts', '');
    report('a.ts');
    pass(20);
    expect(told).toEqual([]);
    // No other event comes: the file is looked at.
    write('a.ts', '1');
    pass(2);
    expect(told).toEqual(['stir']);
    pass(8);
    expect(told).toEqual(['stir', 'a.ts changed, as at stir']);
  });

  it('leaves out the late event of a file that has not changed since the last burst', async () => {
    const { write, report, told, pass } = await startBurst();
    write('a.ts', '1');
    report('a.ts');
    pass(8);
    expect(told).toEqual(['stir', 'a.ts changed, as at stir']);
    report('a.ts');
    pass(200);
    expect(told).toHaveLength(2);
    write('a.ts', '12');
    report('a.ts');
    pass(8);
    expect(told.slice(2)).toEqual(['stir', 'a.ts changed, as at stir']);
  });

  it('tells of a file that changes after its stir', async () => {
    const { write, report, told, pass } = await startBurst();
    write('a.ts', '1');
    report('a.ts');
    expect(told).toEqual(['stir']);
    write('a.ts', '12');
    report('a.ts');
    pass(8);
    expect(told).toEqual(['stir', 'a.ts changed']);
  });

  it('puts files together that change one after the other', async () => {
    const { write, report, told, pass } = await startBurst();
    write('a.ts', '1');
    report('a.ts');
    pass(3);
    write('b.ts', '1');
    report('b.ts');
    pass(7);
    write('c.ts', '1');
    report('c.ts');
    pass(7);
    expect(told).toEqual(['stir']);
    pass(1);
    expect(told).toEqual(['stir', 'a.ts, b.ts, c.ts changed']);
  });

  it('ends sooner where only one file has changed', async () => {
    const { write, report, told, pass } = await startBurst();
    write('a.ts', '1');
    report('a.ts');
    pass(3);
    expect(told).toEqual(['stir']);
    pass(1);
    expect(told).toEqual(['stir', 'a.ts changed, as at stir']);
  });

  it('tells of a file that was removed', async () => {
    const { at, write, report, told, pass } = await startBurst();
    write('a.ts', '1');
    rmSync(at('a.ts'));
    report('a.ts');
    pass(8);
    expect(told).toEqual(['stir', 'a.ts changed']);
  });

  it('tells of a file that stays empty', async () => {
    const { write, report, told, pass } = await startBurst();
    write('a.ts', '');
    report('a.ts');
    pass(99);
    expect(told).toEqual([]);
    pass(1);
    expect(told).toEqual(['a.ts changed']);
  });
});
