import * as z from 'zod';
import { keptText } from './kept-text.ts';

/** Where SCIM is, below the address of the platform. */
export const scimPath = '/scim/v2';

/** `POST /api/scim-tokens`: a token with which the company provisions people of the project, and does nothing else. */
export const createScimTokenSchema = z.strictObject({
  name: keptText.trim().min(1).max(100),
  /** Role of people who are in no group that gives one. */
  role: keptText.min(1).max(100),
  /** Their team; the first one of the project by default. */
  team: keptText.min(1).max(100).optional(),
});

const scimTokenSchema = z.object({
  id: z.number().int().positive(),
  name: z.string(),
  /** The last characters of the secret. */
  hint: z.string(),
  role: z.string(),
  team: z.string(),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().nullable(),
  revokedAt: z.iso.datetime().nullable(),
  /** What was refused last, and when: the last active administrator stays, for instance. */
  lastRefusal: z.object({ reason: z.string(), at: z.iso.datetime() }).nullable(),
});

/** `GET /api/scim-tokens`, the newest first. */
export const scimTokenListSchema = z.object({ tokens: z.array(scimTokenSchema) });

/** The answer of `POST`, which alone has the secret. */
export const newScimTokenSchema = scimTokenSchema.extend({ token: z.string(), url: z.url() });

export type ScimToken = z.infer<typeof scimTokenSchema>;
export type NewScimToken = z.infer<typeof newScimTokenSchema>;
export type CreateScimToken = z.infer<typeof createScimTokenSchema>;
