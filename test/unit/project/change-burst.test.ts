import { statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ChangeBurst } from '#project/change-burst';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

/** A burst of changes, and what it tells: paths are those below the folder. */
async function startBurst() {
  const folder = await temporaryFolder();
  const told: string[] = [];
  const burst = new ChangeBurst({
    onStir: () => told.push('stir'),
    onChange: (changed, isAsAtStir) => {
      const names = changed.map((file) => path.relative(folder, file)).join(', ');
      told.push(`${names} changed${isAsAtStir ? ', as at stir' : ''}`);
    },
  });
  onTestFinished(() => burst.cancel());
  const at = (name: string) => path.join(folder, name);
  const report = (name: string) => burst.add(at(name), statSync(at(name), { throwIfNoEntry: false }));
  return { at, report, told };
}

describe('a burst of changes', () => {
  it('waits with the stir until a file that was emptied is written', async () => {
    const { at, report, told } = await startBurst();
    await writeFile(at('a.ts'), '');
    report('a.ts');
    expect(told).toEqual([]);
    await writeFile(at('a.ts'), '1');
    // No other event comes: the file is looked at.
    await vi.waitFor(() => expect(told).toEqual(['stir', 'a.ts changed, as at stir']));
  });

  it('ends soon after a file that was emptied is written', async () => {
    const { at, report, told } = await startBurst();
    await writeFile(at('a.ts'), '');
    report('a.ts');
    const start = performance.now();
    await writeFile(at('a.ts'), '1');
    await vi.waitFor(() => expect(told).toHaveLength(2), { interval: 1 });
    expect(performance.now() - start).toBeLessThan(60);
  });

  it('leaves out the late event of a file that has not changed since the last burst', async () => {
    const { at, report, told } = await startBurst();
    await writeFile(at('a.ts'), '1');
    report('a.ts');
    await vi.waitFor(() => expect(told).toHaveLength(2));
    report('a.ts');
    await writeFile(at('b.ts'), '1');
    report('b.ts');
    await vi.waitFor(() => expect(told.slice(2)).toEqual(['stir', 'b.ts changed, as at stir']));
  });

  it('tells of a file that changes after its stir', async () => {
    const { at, report, told } = await startBurst();
    await writeFile(at('a.ts'), '1');
    report('a.ts');
    expect(told).toEqual(['stir']);
    await writeFile(at('a.ts'), '12');
    report('a.ts');
    await vi.waitFor(() => expect(told).toEqual(['stir', 'a.ts changed']));
  });

  it('tells of a file that was removed', async () => {
    const { at, report, told } = await startBurst();
    await writeFile(at('a.ts'), '1');
    await rm(at('a.ts'));
    report('a.ts');
    await vi.waitFor(() => expect(told).toEqual(['stir', 'a.ts changed']));
  });

  it('tells of a file that stays empty', async () => {
    const { at, report, told } = await startBurst();
    await writeFile(at('a.ts'), '');
    report('a.ts');
    await vi.waitFor(() => expect(told).toEqual(['a.ts changed']));
  });
});
