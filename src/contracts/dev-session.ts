import * as z from 'zod';
import { agentTokenClaimsSchema } from './agent-token.ts';

/** Path of the session file inside a project, mode 0600. It is the lock of `dev` and `sandbox`, and tells other commands where their servers are. */
export const devSessionFile = '.vendor-cloud/session.json';

export const devSessionSchema = z.object({
  pid: z.number().int().positive(),
  /** When the process started, ISO 8601: a pid alone may have been given to another process since. */
  startedAt: z.iso.datetime(),
  /** It has been told to end: the next session waits for that. */
  isEnding: z.boolean().optional(),
  /** Absent until the servers answer. */
  servers: z
    .object({
      /** Absent, as that of MCP, where the local platform is served only. */
      agentUrl: z.url().optional(),
      mcpUrl: z.url().optional(),
      /** Of the local platform. Absent, as its token is, where the session uses another one. */
      sandboxUrl: z.url().optional(),
      /** What makes a session token of the agent, and the person that it speaks for. Absent as its address is. */
      agentAccess: z
        .object({
          authSecret: z.string(),
          identity: agentTokenClaimsSchema,
          /** The e-mail address of the person that the session serves under rights; `null` where everything is allowed. */
          servedAs: z.string().nullable(),
        })
        .optional(),
      /** Token of the developer on the local platform, valid while the session runs. */
      platformToken: z.string().optional(),
    })
    .optional(),
});

export type DevSession = z.infer<typeof devSessionSchema>;
