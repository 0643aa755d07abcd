import * as z from 'zod';
import { clientRightsSchema } from './client-rights.ts';

/**
 * `GET /agent/v1/permissions/clients`, header `service-secret-key`: what programs may do for people at most. All that concerns a program
 * holds together. A platform that does not know the route restricts none.
 */
export const clientPermissionsSchema = z.object({
  /**
   * By the id of an MCP client or the name of a service account, with every collection by its name; `*` is for those that are not named.
   * `null` where the rights of the environment name no client.
   */
  clients: z.record(z.string(), clientRightsSchema).nullable(),
  /** What people, or administrators, have set for one grant to an MCP client. */
  grants: z.array(
    z.object({
      /** SHA-256 of the id of the grant, in hexadecimal digits. */
      id: z.string(),
      /** The client of the rights that it counts as; `null` where its id says that. */
      countsAs: z.string().nullable(),
      rights: clientRightsSchema.nullable(),
    }),
  ),
});

export type ClientPermissions = z.infer<typeof clientPermissionsSchema>;
