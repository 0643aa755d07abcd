import type { ZodType } from 'zod';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';

/** The answer, where it has the expected shape. Throws `TEST_ANSWER_UNEXPECTED`, whose `details` have the `body`. */
export function expectShape<Shape>(shape: ZodType<Shape>, body: unknown, what: string): Shape {
  const parsed = shape.safeParse(body);
  if (parsed.success) return parsed.data;
  throw unexpectedAnswer(`The agent answered with something else than ${what}.`, body, parsed.error);
}

export function unexpectedAnswer(message: string, body: unknown, cause?: unknown): CloudError {
  return cloudError('TEST_ANSWER_UNEXPECTED', message, 'See details.body of the error for what the agent answered.', {
    details: { body },
    ...(cause === undefined ? {} : { cause }),
  });
}
