import { CloudError } from '#kernel/errors/cloud-error';

/** A query that took longer than the statement timeout. */
export function timedOut(timeoutMs: number, cause?: unknown): CloudError {
  return new CloudError({
    code: 'DATABASE_TIMEOUT',
    message: `The query was cancelled, because it took longer than ${timeoutMs} ms.`,
    nextSteps: ['Narrow the query, add an index, or raise the statement timeout.'],
    cause,
  });
}
