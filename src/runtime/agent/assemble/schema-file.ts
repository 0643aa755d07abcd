import { createHash } from 'node:crypto';
import { type SchemaDocument, schemaDocumentSchema } from '#contracts/schema-document';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { FileSystem } from '#kernel/ports/file-system';

/** The schema file of a production build. Rejects with `AGENT_SCHEMA_MISSING` when it is absent or not one. */
export async function readSchemaFile(fs: FileSystem, path: string): Promise<SchemaDocument> {
  const text = await fs.readText(path);
  if (text === null) throw missing(`The schema file ${path} does not exist.`);
  try {
    return schemaDocumentSchema.parse(JSON.parse(text));
  } catch (error) {
    throw missing(`The schema file ${path} is not a schema.`, error);
  }
}

/** The place where schemas are kept: the platform. */
export interface SchemaStore {
  checkSchemaHash(hash: string): Promise<{ readonly sendSchema: boolean }>;
  uploadSchema(document: SchemaDocument, hash: string): Promise<void>;
}

/** Send a schema unless the platform has it already. */
export async function publishSchema(store: SchemaStore, document: SchemaDocument): Promise<void> {
  const { collections, meta } = document;
  // The hash only tells schemas apart, and SHA-1 is what the platform's protocol prescribes for it.
  const hash = createHash('sha1').update(JSON.stringify({ collections, meta })).digest('hex');
  const { sendSchema } = await store.checkSchemaHash(hash);
  if (sendSchema) await store.uploadSchema(document, hash);
}

function missing(message: string, cause?: unknown): CloudError {
  return cloudError(
    'AGENT_SCHEMA_MISSING',
    message,
    'Start the agent once in development, or call generateSchemaOnly(), and ship the file with the code.',
    { cause },
  );
}
