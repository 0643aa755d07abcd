import type { FastifyInstance } from 'fastify';
import type * as z from 'zod';
import { type hashCheckAnswerSchema, hashCheckSchema, type knownSchemaSchema } from '#contracts/schema-document';
import { schemaDocumentOf, schemaUploadSchema } from '#contracts/schema-upload';
import { authorise } from '../access/authorise.ts';
import type { Guards } from '../access/guards.ts';
import { parseInput } from '../server/parse-input.ts';
import type { SchemaRepository } from './schema-repository.ts';

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
