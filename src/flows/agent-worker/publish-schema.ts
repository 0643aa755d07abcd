import { createHash } from 'node:crypto';
import type { SchemaDocument } from '#contracts/schema-document';
import { canonicalJson } from '#kernel/json/canonical-json';
import type { PlatformClient } from '#platform/index';

/** Tell the platform what the collections look like, unless it knows: it works out from that who may do what with each. */
export async function publishSchema(
  platform: Pick<PlatformClient, 'checkSchemaHash' | 'uploadSchema'>,
  schema: SchemaDocument,
): Promise<void> {
  const hash = createHash('sha1').update(canonicalJson(schema.collections)).digest('hex');
  if ((await platform.checkSchemaHash(hash)).sendSchema) await platform.uploadSchema(schema, hash);
}
