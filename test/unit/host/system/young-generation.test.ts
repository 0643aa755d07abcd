import { execa } from 'execa';
import { expect, it } from 'vitest';

const module = new URL('../../../../src/host/system/young-generation.ts', import.meta.url).href;

/** The megabytes for new objects in a process that keeps some objects for a while and throws most away. */
async function youngGenerationMb(prepare: string): Promise<number> {
  const program = `
    import { getHeapSpaceStatistics } from 'node:v8';
    import { setImmediate } from 'node:timers/promises';
    ${prepare}
    let kept = [];
    for (let round = 0; round < 80; round++) {
      for (let index = 0; index < 30_000; index++) kept.push({ text: 'x' + index });
      kept = kept.slice(15_000);
      await setImmediate();
    }
    console.log(getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size / 1024 / 1024);`;
  const { stdout } = await execa(process.execPath, ['--input-type=module', '-e', program]);
  return Number(stdout);
}

it('the limit keeps the memory for new objects at 32 MB, which grows beyond without it', async () => {
  const limited = `import { limitYoungGeneration } from '${module}'; limitYoungGeneration();`;
  const [withLimit, without] = await Promise.all([youngGenerationMb(limited), youngGenerationMb('')]);
  expect(withLimit).toBe(32);
  expect(without).toBeGreaterThan(32);
});
