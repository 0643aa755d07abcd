import { readFile } from 'node:fs/promises';
import { isAbsent } from '../files/file-errors.ts';

/** Ticks a second of the times in `/proc`; the same on every Linux that Node runs on. */
const ticksPerSecond = 100;

/**
 * Whether a process of that pid runs that had started by `startedAt` (milliseconds since the epoch). Where the system
 * does not tell when a process started, a running one counts.
 */
export async function isProcessAlive(pid: number, startedAt: number): Promise<boolean> {
  if (!isRunning(pid)) return false;
  const start = await processStart(pid);
  // The two clocks are read a moment apart and round differently.
  return start === null || start <= startedAt + 2_000;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It runs, but belongs to somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

async function processStart(pid: number): Promise<number | null> {
  try {
    const [stat, system] = await Promise.all([readFile(`/proc/${pid}/stat`, 'utf8'), readFile('/proc/stat', 'utf8')]);
    const bootSeconds = Number(/^btime (\d+)$/m.exec(system)?.[1]);
    // The name of the program, in parentheses, may hold spaces; field 22 counts from behind it.
    const ticks = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
    return (bootSeconds + ticks / ticksPerSecond) * 1_000;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}
