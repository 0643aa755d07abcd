import { CloudError } from '#kernel/errors/cloud-error';

/** The result of `work`, or `CUSTOMIZATION_UNRESPONSIVE` when it takes longer than user code may while it is loaded. */
export async function withDeadline<Result>(doing: string, deadlineMs: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(tooSlow(doing, deadlineMs)), deadlineMs);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

function tooSlow(doing: string, deadlineMs: number): CloudError {
  return new CloudError({
    code: 'CUSTOMIZATION_UNRESPONSIVE',
    message: `${doing} did not end within ${deadlineMs / 1000} seconds.`,
    nextSteps: ['Look for a promise that is never settled, or for work that belongs into a request.'],
  });
}
