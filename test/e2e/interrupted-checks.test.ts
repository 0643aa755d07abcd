import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { DevProcess } from '../helpers/dev-process.ts';
import { eventually } from '../helpers/eventually.ts';
import { createShopProject } from '../helpers/shop-project.ts';

const bin = path.resolve('bin/vendor-cloud.js');

/** Interrupts a command; resolves with its exit code and what it printed. */
async function endOf(run: DevProcess) {
  const closed = once(run.child, 'close');
  const code = await run.interrupt();
  await closed;
  return [code, run.lines];
}

/** The code says that it runs, and is not done until its process ends. */
const code = (reached: string) => `// @ts-nocheck
import { writeFileSync } from 'node:fs';

export default function customize() {
  writeFileSync(${JSON.stringify(reached)}, 'reached');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
`;

it('an interrupted check ends with 130, and prints no problem', async () => {
  const root = await createShopProject();
  const reached = path.join(root, 'reached');
  await writeFile(path.join(root, 'src/index.ts'), code(reached));
  const run = new DevProcess(bin, ['check'], { cwd: root });
  await eventually(() => readFile(reached));
  expect(await endOf(run)).toEqual([130, [{ error: expect.objectContaining({ code: 'INTERRUPTED' }) }]]);
});
