import * as z from 'zod';
import { expectShape } from '../errors/agent-test-errors.ts';
import type { AgentConnection } from '../wire/agent-connection.ts';

const capabilities = z.object({
  name: z.string(),
  fields: z.array(
    z.object({
      name: z.string(),
      type: z.unknown(),
      /** In snake case, as filters name them on the wire: `greater_than`. */
      operators: z.array(z.string()).optional(),
      isGroupable: z.boolean().optional(),
    }),
  ),
  /** Only agents of this product tell their actions and charts. */
  actions: z.array(z.object({ name: z.string(), scope: z.string(), path: z.string() })).optional(),
  charts: z.array(z.string()).optional(),
  aggregationCapabilities: z
    .object({ supportGroups: z.boolean(), supportedDateOperations: z.array(z.string()) })
    .optional(),
});

/** What clients may ask of a collection: operators by field, fields to group by, actions and charts. */
export type CollectionCapabilities = z.infer<typeof capabilities>;

export async function readCapabilities(connection: AgentConnection, name: string): Promise<CollectionCapabilities> {
  const json = { collectionNames: [name] };
  const body = await connection.ask({ method: 'POST', path: '/_internal/capabilities', json });
  const { collections } = expectShape(z.object({ collections: z.tuple([capabilities]) }), body, 'capabilities');
  return collections[0];
}
