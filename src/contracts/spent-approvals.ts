import * as z from 'zod';

/**
 * `POST /agent/v1/spent-approvals`, header `service-secret-key`: an agent is about to run an action that somebody approved. The
 * answer is the same when the request is sent again.
 */
export const spendingSchema = z.object({
  /** SHA-256 of the signed approval without its signature, in hexadecimal digits. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  /** Made by the agent for this run. */
  runId: z.uuid(),
  /** When the approval ends, in seconds since 1970. The platform forgets it after that. */
  expiresAt: z.int().nonnegative(),
});

/** Whether the approval is good for this run: it is good for the first one in its environment. */
export const spendingAnswerSchema = z.object({ isFirstRun: z.boolean() });

export type Spending = Readonly<z.infer<typeof spendingSchema>>;
export type SpendingAnswer = Readonly<z.infer<typeof spendingAnswerSchema>>;
