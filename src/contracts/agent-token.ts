import * as z from 'zod';
import type { AgentTokenClaims } from './agent-token-claims.ts';
import { permissionLevels } from './identity.ts';

export type { AgentTokenClaims } from './agent-token-claims.ts';

/** Claims of the agent's session token (HS256 with the auth secret, one hour). */
export const agentTokenClaimsSchema = z.object({
  id: z.number().int(),
  email: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  team: z.string(),
  role: z.string(),
  permissionLevel: z.enum(permissionLevels),
  renderingId: z.number().int(),
  tags: z.record(z.string(), z.string()).default({}),
  readOnly: z.boolean().optional(),
}) satisfies z.ZodType<AgentTokenClaims>;
