import * as z from 'zod';
import { keptText } from './kept-text.ts';
import { emailSchema, newPasswordSchema } from './people.ts';

/** The secret of a setup link: 64 lower-case hexadecimal digits. */
const setupSecretSchema = z.string().regex(/^[0-9a-f]{64}$/, 'this is not the secret of a setup link');

/**
 * `POST /api/setup`, no credentials but the secret of the link that the start of a platform without people prints.
 * The answer is 201 with `setupResultSchema`.
 */
export const setupInputSchema = z.strictObject({
  secret: setupSecretSchema,
  name: keptText.trim().min(1).max(200),
  email: emailSchema,
  password: newPasswordSchema,
  project: keptText.trim().min(1).max(100),
});

export const setupResultSchema = z.object({
  user: z.object({ id: z.number().int(), name: z.string(), email: z.string() }),
  project: z.object({ id: z.number().int(), name: z.string() }),
  /** The secrets are shown here only: the platform keeps their digests. */
  environments: z.array(
    z.object({ name: z.string(), type: z.enum(['development', 'production']), secret: z.string() }),
  ),
  /** For `Authorization: Bearer`, good for a day. */
  userToken: z.string(),
});

export type SetupInput = z.infer<typeof setupInputSchema>;
export type SetupResult = z.infer<typeof setupResultSchema>;
