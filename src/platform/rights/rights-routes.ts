import type { FastifyInstance } from 'fastify';
import { pageQuery } from '#contracts/api/deployment-operations';
import { checkRightsSchema, replaceRightsSchema } from '#contracts/rights';
import { type Guards, readingRoute } from '../access/guards.ts';
import { parseInput } from '../server/parse-input.ts';
import type { RightsService } from './rights-service.ts';

/** Rights of a thousand collections and a dozen roles make about 3 MB. */
const maxRightsBytes = 8 * 1024 * 1024;

/** The routes of `#contracts/rights`. */
export function registerRightsRoutes(server: FastifyInstance, guards: Guards, rights: RightsService): void {
  const onRequest = guards.user.check;
  server.get('/api/rights', { onRequest }, async (request) => rights.read(guards.user.of(request)));
  server.put('/api/rights', { onRequest, bodyLimit: maxRightsBytes }, async (request) =>
    rights.replace(guards.user.of(request), parseInput(replaceRightsSchema, request.body)),
  );
  server.post('/api/rights/check', { onRequest, bodyLimit: maxRightsBytes, config: readingRoute }, async (request) =>
    rights.check(guards.user.of(request), parseInput(checkRightsSchema, request.body).document),
  );
  server.get('/api/rights/history', { onRequest }, async (request) =>
    rights.history(guards.user.of(request), parseInput(pageQuery, request.query)),
  );
}
