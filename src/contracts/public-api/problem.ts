import * as z from 'zod';

/** Every error of the public API: `error`, `code` and `message` as its clients know them, with the members of RFC 9457. */
export const problemSchema = z.strictObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  /** Id of the request in the log of the platform. */
  instance: z.string(),
  code: z.string(),
  message: z.string(),
  error: z.string(),
  /** What is wrong with which parameter. */
  errors: z.array(z.strictObject({ parameter: z.string(), detail: z.string() })).optional(),
  /** Seconds, with 429. */
  retry_after: z.int().optional(),
  'violated-policies': z.array(z.string()).optional(),
  /** With 410: goes on at the oldest row that is still there. */
  oldestCursor: z.string().optional(),
});
