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
  const found = await processFacts(pid);
  // What has ended keeps its pid until its parent asks for the exit code, which some containers never do.
  if (found?.state === 'Z') return false;
  // The two clocks are read a moment apart and round differently.
  return found === null || found.startedAt <= startedAt + 2_000;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It runs, but belongs to somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** The state as `ps` tells it, and the start in milliseconds since the epoch. */
async function processFacts(pid: number): Promise<{ readonly state: string; readonly startedAt: number } | null> {
  try {
    const [stat, system] = await Promise.all([readFile(`/proc/${pid}/stat`, 'utf8'), readFile('/proc/stat', 'utf8')]);
    const bootSeconds = Number(/^btime (\d+)$/m.exec(system)?.[1]);
    // The name of the program, in parentheses, may hold spaces. So the fields behind it are counted: the state is field 3,
    // the start is field 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', startedAt: (bootSeconds + Number(fields[19]) / ticksPerSecond) * 1_000 };
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}
