import { readFile } from 'node:fs/promises';
import { isAbsent } from '../files/file-errors.ts';

/** How many ticks a second has in the times of `/proc`; the same on every Linux that Node runs on. */
const ticksPerSecond = 100;

/**
 * Whether a process with this pid runs and had started by `startedAt` (milliseconds since the epoch). When the system
 * does not tell the time of the start, every running process with the pid counts.
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
    // The name of the program, in parentheses, may hold spaces. So the fields behind it are counted: the start is field
    // 22.
    const ticks = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
    return (bootSeconds + ticks / ticksPerSecond) * 1_000;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}
