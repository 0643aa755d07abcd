import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { isProcessAlive } from '#node/system/process-probe';
import { endWithTest } from '../../../helpers/end-with-test.ts';

it('a process is alive that had started by then', async () => {
  expect(await isProcessAlive(process.pid, Date.now())).toBe(true);
  expect(await isProcessAlive(process.pid, Date.now() - 24 * 60 * 60 * 1000)).toBe(process.platform !== 'linux');
  expect(await isProcessAlive(999_999_999, Date.now())).toBe(false);
});

it('a process that has ended is not alive, even where its parent does not know yet', async () => {
  // The shell starts a process that ends, becomes another program, and so never asks for its exit code.
  const parent = spawn('sh', ['-c', 'true & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
  endWithTest(parent);
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  await expect.poll(() => isProcessAlive(Number(String(line).trim()), Date.now())).toBe(false);
});
