import * as z from 'zod';
import { keptText } from './kept-text.ts';

/** Something that somebody is signed in with. */
const sessionSchema = z.object({
  id: z.string(),
  kind: z.enum(['token', 'browser', 'agent', 'command line']),
  personId: z.number().int(),
  /** What it is for: what a token was made for, or the environment of the agent. */
  purpose: z.string(),
  /** Where it was made from, where that is known. */
  address: z.string().nullable(),
  /** The browser that somebody signed in with. `null` for a token, and where it is not known; platforms of older versions tell none. */
  device: z.object({ browser: z.string().nullable(), system: z.string().nullable() }).nullable().default(null),
  createdAt: z.iso.datetime().nullable(),
  /** A minute late at most. `null` where it is not known: agents do not tell when they are used. */
  lastUsedAt: z.iso.datetime().nullable().default(null),
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

/** How long a session token of an agent is valid, in seconds. The platform tells for as long whose sessions it has ended. */
export const agentTokenLifetimeSeconds = 3600;

/**
 * `GET /agent/v1/ended-sessions`, header `service-secret-key`: the people whose sessions, and the grants to MCP clients that
 * were ended within the last hour. An agent accepts no token of theirs that is older than that. It tells of marked MCP sessions
 * besides. The platform announces `refresh-sessions` when the list changes.
 */
export const endedSessionsSchema = z.object({
  people: z.array(
    z.object({
      id: z.number().int(),
      /** Milliseconds before this answer, so that the clocks of platform and agent may differ. */
      msAgo: z.number().nonnegative(),
    }),
  ),
  /** SHA-256 of their ids. Absent where the platform keeps none. */
  grants: z.array(z.object({ id: z.string(), msAgo: z.number().nonnegative() })).optional(),
  /** MCP sessions that have read what outsiders can write: `#contracts/mcp-marks`. Absent where there are none. */
  marked: z.array(z.object({ personId: z.int(), client: z.string() })).optional(),
});

export type EndedSessions = z.infer<typeof endedSessionsSchema>;
