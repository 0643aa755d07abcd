import { type SchemaDocument, schemaDocumentSchema } from '#contracts/schema-document';
import { canonicalJson } from '#kernel/json/canonical-json';
import type { Clock } from '#kernel/ports/clock';
import { announceEvent } from '../events/announce-event.ts';
import { announceRenderings } from '../events/announce-renderings.ts';
import type { Store } from '../store/store.ts';

/** The newest schema each environment's agent sent. */
export interface SchemaRepository {
  findHash(environmentId: number): Promise<string | undefined>;
  findDocument(environmentId: number): Promise<SchemaDocument | undefined>;
  /** The agents are told: which collections the permissions name depends on the schema. */
  save(environmentId: number, hash: string, document: SchemaDocument): Promise<void>;
}

export function createSchemaRepository(store: Store, clock: Clock): SchemaRepository {
  const find = (environmentId: number) => store.db.selectFrom('schemas').where('environmentId', '=', environmentId);
  return {
    findHash: async (environmentId) => (await find(environmentId).select('hash').executeTakeFirst())?.hash,
    findDocument: async (environmentId) => {
      const row = await find(environmentId).select('document').executeTakeFirst();
      return row && schemaDocumentSchema.parse(JSON.parse(row.document));
    },
    save: (environmentId, hash, document) =>
      store.transaction(async (transaction) => {
        const content = { hash, document: canonicalJson(document), receivedAt: clock.now() };
        await transaction.db
          .insertInto('schemas')
          .values({ environmentId, ...content })
          .onConflict((same) => same.column('environmentId').doUpdateSet(content))
          .execute();
        announceEvent(transaction, environmentId, { name: 'refresh-roles' });
        await announceRenderings(transaction, environmentId);
      }),
  };
}
