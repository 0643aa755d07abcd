import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

/** End a process when the test ends, and wait until it is gone: what it writes must not meet the removal of its folder. */
export function endWithTest(child: ChildProcess, end: () => void = () => void child.kill('SIGKILL')): void {
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    end();
    await ended;
  });
}
