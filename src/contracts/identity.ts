import * as z from 'zod';

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

/** `GET /api/me`, `Authorization: Bearer <user token>`. */
export const meSchema = z.object({
  user: z.object({ id: z.number().int(), name: z.string(), email: z.string() }),
  team: z.string(),
  /** Of the team, in the environment: what one signs in to an agent with. */
  renderingId: z.number().int().nullable(),
  project: z.string(),
  projectId: z.number().int(),
  environment: z.string(),
});

export type Environment = z.infer<typeof environmentSchema>;
export type Me = z.infer<typeof meSchema>;
