import { execa } from 'execa';
import { expect, it } from 'vitest';
import { collectYoungAtRest } from '#node/system/thread-memory';
import { createManualTime } from '../../../helpers/manual-time.ts';

const module = new URL('../../../../src/node/system/thread-memory.ts', import.meta.url).href;

it('new objects are collected once, a moment after the last piece of work', () => {
  const time = createManualTime();
  let times = 0;
  const worked = collectYoungAtRest(time.timers, () => {
    times += 1;
  });
  worked();
  time.pass(59);
  worked();
  time.pass(59);
  expect(times).toBe(0);
  time.pass(1);
  expect(times).toBe(1);
  expect(time.due).toEqual([]);
});

it('a thread at rest has its space for new objects free, although what it made is in use', async () => {
  const program = `
    import { getHeapSpaceStatistics } from 'node:v8';
    import { collectYoungAtRest } from '${module}';
    const usedMb = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_used_size / 1e6;
    let atRest;
    const worked = collectYoungAtRest({ after: (_ms, run) => { atRest = run; } });
    const inUse = Array.from({ length: 10_000 }, (_, index) => ({ index, text: 'x'.repeat(index % 7) + index }));
    worked();
    const before = usedMb();
    atRest();
    console.log(JSON.stringify({ before, after: usedMb(), inUse: inUse.length }));`;
  const { stdout } = await execa(process.execPath, ['--input-type=module', '-e', program]);
  const { before, after } = JSON.parse(stdout) as { before: number; after: number };
  expect(before).toBeGreaterThan(0.4);
  expect(after).toBeLessThan(0.1);
});
