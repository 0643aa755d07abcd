import * as z from 'zod';

/** How long somebody sees the console as somebody else at most, in minutes. */
export const impersonationMinutes = 60;

/** The header of requests of a page that shows what somebody else sees: the id of the impersonation. */
export const impersonationHeader = 'service-impersonation';

/** `POST /api/impersonations`, with the session of a browser: see the console as a member of the project does. */
export const startImpersonationSchema = z.strictObject({ personId: z.number().int().positive() });

export const impersonationSchema = z.object({ id: z.string(), expiresAt: z.iso.datetime() });

/** The administrator who sees what somebody else sees. */
export const impersonatorSchema = z.object({
  id: z.number().int(),
  email: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  team: z.string(),
  role: z.string(),
});

export type Impersonation = z.infer<typeof impersonationSchema>;
