import type { PlatformClient } from '#platform-client/platform-client';
import type { HashedSchema } from './worker-protocol.ts';

/** Tell the platform what the collections look like, unless it knows: it works out from that who may do what with each. */
export async function publishSchema(
  platform: Pick<PlatformClient, 'checkSchemaHash' | 'uploadSchema'>,
  { document, hash }: HashedSchema,
): Promise<void> {
  if ((await platform.checkSchemaHash(hash)).sendSchema) await platform.uploadSchema(document, hash);
}
