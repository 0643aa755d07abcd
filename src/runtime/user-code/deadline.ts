import { performance } from 'node:perf_hooks';
import { Script } from 'node:vm';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';

/** Milliseconds between two looks at how long the work has taken. */
const lookMs = 250;

/**
 * The result of `work`, or `CUSTOMIZATION_UNRESPONSIVE` when it takes longer than user code may while it is loaded. Time in which this
 * thread waited for a processor does not count, nor time in which the whole process was stopped.
 */
export async function withDeadline<Result>(
  doing: string,
  deadlineMs: number,
  work: Promise<Result>,
  readServedMs: () => number = servedMs,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    let takenMs = 0;
    let last = readServedMs();
    timer = setInterval(() => {
      const now = readServedMs();
      takenMs += Math.min(now - last, lookMs);
      last = now;
      if (takenMs >= deadlineMs) reject(tooSlow(doing, deadlineMs));
    }, lookMs);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearInterval(timer);
  }
}

/** How long this thread had nothing to do, or had a processor. */
function servedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return performance.eventLoopUtilization().idle + (user + system) / 1_000;
}

function tooSlow(doing: string, deadlineMs: number): CloudError {
  return cloudError(
    'CUSTOMIZATION_UNRESPONSIVE',
    `${doing} did not end within ${deadlineMs / 1000} seconds.`,
    'Look for a promise that is never settled, or for work that belongs into a request.',
  );
}

/** Holds what the script calls. */
const slot = Symbol.for('@vendor/cloud/bounded run');
const script = new Script('globalThis[Symbol.for("@vendor/cloud/bounded run")]()');

/** Work took longer than it may. It was ended in the middle: nothing of it ran on, no `finally` either. */
export class RunOverdue extends Error {
  override readonly name = 'RunOverdue';
}

/**
 * Run synchronous work, and end it after `limitMs` by the clock: an endless loop, too.
 *
 * @throws `RunOverdue`, and whatever the work throws.
 */
export function runBounded<Result>(work: () => Result, limitMs: number): Result {
  const holder = globalThis as { [slot]?: unknown };
  let isCalled = false;
  holder[slot] = () => {
    delete holder[slot];
    isCalled = true;
    return work();
  };
  try {
    return script.runInThisContext({ timeout: limitMs }) as Result;
  } catch (error) {
    if (isCalled && isTimeout(error)) throw new RunOverdue(`It took longer than ${limitMs} ms.`);
    throw error;
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
