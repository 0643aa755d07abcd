import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';

/** Twenty reads of one person are in progress. With each line that comes in, one more begins. */
const script = `
  import { createInterface } from 'node:readline';
  import { defaultRequestLimits, SlowRequests } from '#runtime/surfaces/request/request-limits';
  const slow = new SlowRequests({ ...defaultRequestLimits, slowReadsPerPerson: null });
  const awaited = new AbortController().signal;
  const ends = Array.from({ length: 20 }, () => slow.begin(7, true, awaited));
  console.log('begun');
  createInterface(process.stdin).once('line', () => {
    for (const end of ends) end();
    try {
      slow.begin(7, true, awaited);
      console.log('let in');
    } catch (error) {
      console.log(error.code);
    }
  });
`;

it('lets a person in whose twenty reads were in progress while the process was stopped', { tags: 'long' }, async () => {
  const child = spawn(
    process.execPath,
    ['--conditions=vendor-source', '--no-warnings', '--input-type=module', '--eval', script],
    { cwd: path.resolve(import.meta.dirname, '../..'), stdio: ['pipe', 'pipe', 'inherit'] },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface(child.stdout);
  expect(await once(lines, 'line')).toEqual(['begun']);
  child.kill('SIGSTOP');
  await pause(2_000);
  child.kill('SIGCONT');
  child.stdin.end('\n');
  // Twenty times two seconds are twice what a person may take at a stretch.
  expect(await once(lines, 'line')).toEqual(['let in']);
});
