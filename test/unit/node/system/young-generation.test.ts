import { execa } from 'execa';
import { expect, it } from 'vitest';

const module = new URL('../../../../src/node/system/thread-memory.ts', import.meta.url).href;

/** Makes objects, keeps some for a while and throws most away. */
const work = `
    const work = async () => {
      let kept = [];
      for (let round = 0; round < 80; round++) {
        for (let index = 0; index < 30_000; index++) kept.push({ text: 'x' + index });
        kept = kept.slice(15_000);
        await setImmediate();
      }
    };`;

/** The megabytes for new objects in a process after its work. */
async function youngGenerationMb(prepare: string): Promise<number> {
  const program = `
    import { getHeapSpaceStatistics } from 'node:v8';
    import { setImmediate } from 'node:timers/promises';
    ${work}
    ${prepare}
    await work();
    console.log(getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size / 1024 / 1024);`;
  const { stdout } = await execa(process.execPath, ['--input-type=module', '-e', program]);
  return Number(stdout);
}

it('the limit keeps the memory for new objects at 32 MB, which grows beyond without it', { tags: 'long' }, async () => {
  const limited = `import { limitYoungGeneration } from '${module}'; limitYoungGeneration();`;
  const [withLimit, without] = await Promise.all([youngGenerationMb(limited), youngGenerationMb('')]);
  expect(withLimit).toBe(32);
  expect(without).toBeGreaterThan(32);
});

it('the memory for new objects grows to its limit again once it was given back', { tags: 'long' }, async () => {
  const restedAfterWork = `
    import { limitYoungGeneration } from '${module}';
    import { giveBackMemoryAtRest } from '${module}';
    limitYoungGeneration();
    let giveBack;
    giveBackMemoryAtRest({ after: (_ms, run) => { giveBack = run; } })();
    await work();
    giveBack();
    const { space_size } = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    if (space_size > 16 * 1024 * 1024) throw new Error('Nothing was given back.');
    await setImmediate();`;
  expect(await youngGenerationMb(restedAfterWork)).toBe(32);
});
