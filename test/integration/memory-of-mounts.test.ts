import { execa } from 'execa';
import { expect, it } from 'vitest';

/** The megabytes for new objects in a process with an agent of the built package, once it has made many objects and kept some for a while. */
async function youngGenerationMb(mount: string): Promise<number> {
  const program = `
    import { setImmediate } from 'node:timers/promises';
    import { getHeapSpaceStatistics } from 'node:v8';
    import { createAgent } from '@vendor/cloud/agent';
    createAgent({ authSecret: 'a'.repeat(64), envSecret: 'b'.repeat(64) }).${mount};
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

it('an agent with a server of its own keeps the memory for new objects small, and one inside an application does not touch it', {
  tags: 'long',
}, async () => {
  expect(await youngGenerationMb('mountOnStandaloneServer(0)')).toBe(32);
  expect(await youngGenerationMb('mountOnExpress({ use: () => undefined })')).toBeGreaterThan(32);
});
