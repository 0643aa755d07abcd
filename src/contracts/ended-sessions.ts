import * as z from 'zod';

/** How long a session token of an agent is valid, in seconds. The platform tells for as long whose sessions it has ended. */
export const agentTokenLifetimeSeconds = 3600;

/**
 * `GET /agent/v1/ended-sessions`, header `service-secret-key`: the people whose sessions, and the grants to MCP clients that
 * were ended within the last hour. An agent accepts no token of theirs that is older than that. The platform announces `refresh-sessions` when the list changes.
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
});

export type EndedSessions = z.infer<typeof endedSessionsSchema>;
