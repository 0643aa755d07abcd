import type { FastifyInstance } from 'fastify';
import type * as z from 'zod';
import {
  type hashCheckAnswerSchema,
  hashCheckSchema,
  type knownSchemaSchema,
  type SchemaDocument,
  schemaDocumentSchema,
} from '#contracts/schema-document';
import { schemaDocumentOf, schemaUploadSchema } from '#contracts/schema-upload';
import { canonicalJson } from '#kernel/json/canonical-json';
import type { Clock } from '#kernel/ports/clock';
import { authorise } from '../access/authorise.ts';
import type { Guards } from '../access/guards.ts';
import { announceEvent, announceRenderings } from '../events/announce-event.ts';
import { parseInput } from '../server/parse-input.ts';
import type { Store } from '../store/store.ts';

/** The newest schema each environment's agent sent. */
export interface SchemaRepository {
  findHash(environmentId: number): Promise<string | undefined>;
  findDocument(environmentId: number): Promise<SchemaDocument | undefined>;
  /** The agents learn about it: which collections the permissions name depends on the schema. */
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

/** A thousand tables of twelve columns make about 6 MB. */
const maxSchemaBytes = 32 * 1024 * 1024;

/** What the agent's collections look like: asked for by hash, sent when the platform lacks it. */
export function registerSchemaRoutes(server: FastifyInstance, guards: Guards, schemas: SchemaRepository): void {
  const onRequest = guards.environment.check;

  server.post(
    '/service/apimaps/hashcheck',
    { onRequest },
    async (request): Promise<z.infer<typeof hashCheckAnswerSchema>> => {
      const { schemaFileHash } = parseInput(hashCheckSchema, request.body);
      return { sendSchema: (await schemas.findHash(guards.environment.of(request).id)) !== schemaFileHash };
    },
  );

  server.get(
    '/api/schema',
    { onRequest: guards.user.check },
    async (request): Promise<z.infer<typeof knownSchemaSchema>> => {
      const by = guards.user.of(request);
      authorise(by, 'read the project');
      return { schema: (await schemas.findDocument(by.environment.id)) ?? null };
    },
  );

  server.post('/service/apimaps', { onRequest, bodyLimit: maxSchemaBytes }, async (request, reply) => {
    const upload = parseInput(schemaUploadSchema, request.body);
    await schemas.save(guards.environment.of(request).id, upload.meta.schemaFileHash, schemaDocumentOf(upload));
    return reply.code(204).send();
  });
}
