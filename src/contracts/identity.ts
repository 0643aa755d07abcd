import * as z from 'zod';
import { heldSchema } from './memberships.ts';
import { permissionLevels } from './permission-level.ts';

export { type PermissionLevel, permissionLevels } from './permission-level.ts';

/** Environment secret: 64 lower-case hexadecimal digits. */
export const envSecretSchema = z.string().regex(/^[0-9a-f]{64}$/, '64 lower-case hexadecimal digits');

/** `GET /agent/environment`, header `service-secret-key`. */
export const environmentSchema = z.object({
  data: z.object({
    id: z.string(),
    attributes: z.object({
      name: z.string(),
      type: z.enum(['development', 'production']),
      api_endpoint: z.string().nullable(),
    }),
  }),
});

/** What programs read of `GET /api/me`, `Authorization: Bearer <user token>`. */
export const callerSchema = z.object({
  user: z.object({ id: z.number().int(), name: z.string(), email: z.string() }),
  team: z.string(),
  /** Of the team, in the environment: what one signs in to an agent with. */
  renderingId: z.number().int().nullable(),
  project: z.string(),
  projectId: z.number().int(),
  environment: z.string(),
  /** All roles in the environment and all teams, with where each comes from; the first of each is the one that is used where only one can be. */
  roles: z.array(heldSchema).default([]),
  teams: z.array(heldSchema).default([]),
});

/** The whole answer of `GET /api/me`, for pages that show what somebody may do. */
export const meSchema = callerSchema.extend({
  level: z.enum(permissionLevels),
  /** In the environment of the request; `null` where its rights give none. */
  role: z.string().nullable(),
  /** Those that the credential of the request reaches, by name. */
  projects: z.array(z.object({ id: z.number().int(), name: z.string() })),
  /** Of the project, by name. */
  environments: z.array(
    z.object({
      name: z.string(),
      type: z.enum(['development', 'production']),
      /** How a browser reaches the agent: through the platform, at an address of its own, or not at all. */
      agent: z.union([z.literal('platform'), z.url()]).nullable(),
      /** Where programs reach the agent, with its prefix; `null` where nobody has said it. */
      agentUrl: z.url().nullable(),
    }),
  ),
  /** What they may do at the platform, in the words of its refusals. Nothing while somebody else sees the console as they do. */
  deeds: z.array(z.string()),
  /** Who sees the console as they do, and until when. */
  impersonation: z.object({ by: z.number().int(), expiresAt: z.iso.datetime() }).optional(),
});

export type Environment = z.infer<typeof environmentSchema>;
export type Caller = z.infer<typeof callerSchema>;
export type Me = z.infer<typeof meSchema>;
