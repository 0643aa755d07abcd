import * as z from 'zod';
import { permissionLevels } from './identity.ts';
import { impersonatorSchema } from './impersonations.ts';
import type { PermissionLevel } from './permission-level.ts';

/** A program that acts for a person. */
export interface ActingClient {
  /** Of an MCP client; the name of a service account. Empty where the token was given to nobody by name. */
  readonly id: string;
  /** What it calls itself. */
  readonly name: string;
  /** SHA-256 of the id of what the person has granted to it, in hexadecimal digits. */
  readonly grant?: string | undefined;
}

/** Claims of the agent's session token (HS256 with the auth secret, one hour). */
export const agentTokenClaimsSchema = z.object({
  id: z.number().int(),
  email: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  team: z.string(),
  role: z.string(),
  teams: z.array(z.string()).readonly().optional(),
  roles: z.array(z.string()).readonly().optional(),
  permissionLevel: z.enum(permissionLevels),
  renderingId: z.number().int(),
  tags: z.record(z.string(), z.string()).default({}),
  readOnly: z.boolean().optional(),
  clientAddress: z.string().optional(),
  client: z.object({ id: z.string(), name: z.string(), grant: z.string().optional() }).optional(),
  impersonator: impersonatorSchema.optional(),
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
  /** All teams and all roles, the ones above first, as of the sign-in. Absent where there is one. */
  readonly teams?: readonly string[] | undefined;
  readonly roles?: readonly string[] | undefined;
  readonly permissionLevel: PermissionLevel;
  readonly renderingId: number;
  readonly tags: Readonly<Record<string, string>>;
  /** The token was printed to read only: the agent refuses whatever writes. */
  readonly readOnly?: boolean | undefined;
  /** Where the browser is whose requests the platform forwards, as the platform saw it. Absent where the client comes by itself. */
  readonly clientAddress?: string | undefined;
  /** The program that acts for the person: an MCP client or a service account. Absent where the person acts. */
  readonly client?: ActingClient | undefined;
  /** The administrator who sees what the person sees. The token only reads then. Absent where nobody but the person asks. */
  readonly impersonator?: Impersonator | undefined;
}

/** An administrator who sees the console as somebody else does. */
interface Impersonator {
  readonly id: number;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly team: string;
  readonly role: string;
}
