import { z } from 'zod';
import { schemaDocumentSchema } from '#contracts/schema-document';
import { canonicalJson } from '#kernel/json/canonical-json';
import type { Clock } from '#kernel/ports/clock';
import type { SqliteConnection } from '#kernel/ports/sqlite-connection';
import type { SchemaRepository } from './schema-repository.ts';

const hashRow = z.object({ hash: z.string() });
const documentRow = z.object({ document: z.string() });

export function createSqliteSchemaRepository(connection: SqliteConnection, clock: Clock): SchemaRepository {
  return {
    findHash: async (environmentId) =>
      hashRow.optional().parse(connection.all('select hash from schemas where environment_id = ?', [environmentId])[0])
        ?.hash,
    findDocument: async (environmentId) => {
      const row = documentRow
        .optional()
        .parse(connection.all('select document from schemas where environment_id = ?', [environmentId])[0]);
      return row && schemaDocumentSchema.parse(JSON.parse(row.document));
    },
    save: async (environmentId, hash, document) => {
      connection.run(
        `insert into schemas (environment_id, hash, document, received_at) values (?, ?, ?, ?)
         on conflict (environment_id) do update
           set hash = excluded.hash, document = excluded.document, received_at = excluded.received_at`,
        [environmentId, hash, canonicalJson(document), clock.now()],
      );
    },
  };
}
