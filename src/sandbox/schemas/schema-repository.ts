import type { SchemaDocument } from '#contracts/schema-document';

/** The newest schema each environment's agent sent. */
export interface SchemaRepository {
  findHash(environmentId: number): Promise<string | undefined>;
  findDocument(environmentId: number): Promise<SchemaDocument | undefined>;
  save(environmentId: number, hash: string, document: SchemaDocument): Promise<void>;
}
