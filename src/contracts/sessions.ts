import * as z from 'zod';
import { keptText } from './kept-text.ts';

/** Something that somebody is signed in with. */
export const sessionSchema = z.object({
  id: z.string(),
  kind: z.enum(['token', 'browser', 'agent', 'command line']),
  personId: z.number().int(),
  /** What it is for: what a token was made for, or the environment of the agent. */
  purpose: z.string(),
  /** Where it was made from, where that is known. */
  address: z.string().nullable(),
  createdAt: z.iso.datetime().nullable(),
  expiresAt: z.iso.datetime().nullable(),
  /** Whether the request itself came with it. */
  isCurrent: z.boolean(),
});

/** `GET /api/sessions`, the newest first: one's own, or, for an administrator, those of `?person=<id>`. */
export const sessionListSchema = z.object({ sessions: z.array(sessionSchema) });

/** The query of `GET /api/sessions` and of `DELETE /api/sessions`, which ends all of somebody's. */
export const sessionQuerySchema = z.strictObject({ person: z.coerce.number().int().positive().optional() });

/** `POST /api/tokens`, with an access token of `vendor-cloud login` (device code): a token for the API. */
export const createTokenSchema = z.strictObject({
  /** Needed by members of several projects. */
  project: z.string().min(1).optional(),
  purpose: keptText.min(1).max(100).default('command line'),
});

export const createdTokenSchema = z.object({
  token: z.string(),
  project: z.string(),
  environment: z.string(),
  expiresAt: z.iso.datetime(),
});

export type Session = z.infer<typeof sessionSchema>;
export type CreatedToken = z.infer<typeof createdTokenSchema>;
