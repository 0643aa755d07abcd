import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { replaceRightsSchema } from '#contracts/rights';
import type { Guards } from '../server/guards.ts';
import { parseInput } from '../server/parse-input.ts';
import type { RightsService } from './rights-service.ts';

/** Rights of a thousand collections and a dozen roles make about 3 MB. */
const maxRightsBytes = 8 * 1024 * 1024;

const pageSchema = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  before: z.coerce.number().int().positive().optional(),
});

/** The routes of `#contracts/rights`. */
export function registerRightsRoutes(server: FastifyInstance, guards: Guards, rights: RightsService): void {
  const onRequest = guards.user.check;
  server.get('/api/rights', { onRequest }, async (request) => rights.read(guards.user.of(request)));
  server.put('/api/rights', { onRequest, bodyLimit: maxRightsBytes }, async (request) =>
    rights.replace(guards.user.of(request), parseInput(replaceRightsSchema, request.body)),
  );
  server.get('/api/rights/history', { onRequest }, async (request) =>
    rights.history(guards.user.of(request), parseInput(pageSchema, request.query)),
  );
}
