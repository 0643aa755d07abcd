import * as z from 'zod';
import { permissionLevels } from './identity.ts';
import type { PermissionLevel } from './permission-level.ts';

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
  clientAddress: z.string().optional(),
}) satisfies z.ZodType<AgentTokenClaims>;

/**
 * Claims of the agent's session token. Customization code sees them, so that they are written out here: the compiler of a
 * project need not read the validators.
 */
export interface AgentTokenClaims {
  readonly id: number;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly team: string;
  readonly role: string;
  readonly permissionLevel: PermissionLevel;
  readonly renderingId: number;
  readonly tags: Readonly<Record<string, string>>;
  /** The token was printed to read only: the agent refuses whatever writes. */
  readonly readOnly?: boolean | undefined;
  /** Where the browser is whose requests the platform forwards, as the platform saw it. Absent where the client comes by itself. */
  readonly clientAddress?: string | undefined;
}
