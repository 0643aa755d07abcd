import { performance } from 'node:perf_hooks';
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
