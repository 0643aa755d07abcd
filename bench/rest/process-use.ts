import { strict as assert } from 'node:assert';
import { readFile } from 'node:fs/promises';

/** What a process has used of the processor, all of its threads together. Linux counts in hundredths of a second. */
export async function cpuSecondsOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  assert.ok(Number.isFinite(ticks), 'The system does not say what a process uses.');
  return ticks / 100;
}

/** The memory of a process that is in use now. */
export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
}
