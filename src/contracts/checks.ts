import * as z from 'zod';

/** One thing that `vendor-cloud doctor` looks at. */
const checkSchema = z.object({
  /** What was looked at: one or two words. */
  name: z.string(),
  /** `skipped`: there was nothing to look at. */
  status: z.enum(['ok', 'warning', 'failed', 'skipped']),
  message: z.string(),
  /** What to do; empty where all is well. */
  nextSteps: z.array(z.string()).readonly(),
});

/**
 * `GET /api/checks`: what the machine of the platform, its way to databases and other servers, and the project of `dev` look like now.
 * For administrators and developers. It takes seconds; those who ask at the same time get the same answer.
 */
export const checkListSchema = z.object({
  checks: z.array(checkSchema),
  /** ISO 8601: when somebody looked. */
  lookedAt: z.iso.datetime(),
});

export type Check = Readonly<z.infer<typeof checkSchema>>;
export type CheckList = z.infer<typeof checkListSchema>;
