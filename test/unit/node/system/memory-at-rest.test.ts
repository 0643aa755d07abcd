import { execa } from 'execa';
import { expect, it } from 'vitest';
import { giveBackMemoryAtRest } from '#node/system/thread-memory';

const module = new URL('../../../../src/node/system/thread-memory.ts', import.meta.url).href;

it('memory is given back once, some seconds after the last piece of work', () => {
  const waiting = new Map<object, { readonly ms: number; readonly run: () => void }>();
  const timers = {
    after(ms: number, run: () => void) {
      const timer = {};
      waiting.set(timer, { ms, run });
      return () => waiting.delete(timer);
    },
  };
  let times = 0;
  const worked = giveBackMemoryAtRest(timers, () => {
    times += 1;
  });

  worked();
  worked();
  worked();

  expect([...waiting.values()].map(({ ms }) => ms)).toEqual([3_000]);
  for (const { run } of waiting.values()) run();
  expect(times).toBe(1);
});

it('a process at rest has a heap that is hardly larger than what is in use', async () => {
  const program = `
    import { getHeapStatistics } from 'node:v8';
    import { giveBackMemoryAtRest } from '${module}';
    let atRest;
    const worked = giveBackMemoryAtRest({ after: (_ms, run) => { atRest = run; } });
    const parts = Array.from({ length: 400_000 }, (_, index) => ({ text: 'x' + index }));
    const kept = parts.slice(0, 1_000);
    parts.length = 0;
    worked();
    const before = getHeapStatistics();
    atRest();
    const after = getHeapStatistics();
    console.log(JSON.stringify([before, after].map(({ total_heap_size }) => total_heap_size / 1024 / 1024)), kept.length);`;
  const { stdout } = await execa(process.execPath, ['--input-type=module', '-e', program]);
  const [before, after] = JSON.parse(stdout.slice(0, stdout.indexOf(']') + 1)) as [number, number];
  expect(before).toBeGreaterThan(30);
  expect(after).toBeLessThan(15);
});
