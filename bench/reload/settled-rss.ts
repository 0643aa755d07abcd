import { strict as assert } from 'node:assert';
import { execFile } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { rounded } from '../statistics.ts';

const run = promisify(execFile);
const readings = 5;
const pauseMs = 1000;
const patience = 60;

/** Resident memory of a process in MB, once five readings a second apart lie within one percent. */
export async function settledRssMb(pid: number): Promise<number> {
  const seen: number[] = [];
  for (let look = 0; look < patience; look++) {
    seen.push(await rssMb(pid));
    const last = seen.slice(-readings);
    if (last.length === readings && Math.max(...last) < Math.min(...last) * 1.01) break;
    await pause(pauseMs);
  }
  return rounded(seen.at(-1) ?? Number.NaN);
}

/** Resident memory of a process in MB. */
export async function rssMb(pid: number): Promise<number> {
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(pid)]);
  const kilobytes = Number(stdout.trim());
  assert.ok(kilobytes > 0, `ps said "${stdout}" of process ${pid}.`);
  return kilobytes / 1024;
}
