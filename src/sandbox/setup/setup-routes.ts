import type { FastifyInstance } from 'fastify';
import { type SetupResult, setupInputSchema } from '#contracts/setup';
import { parseInput } from '../server/parse-input.ts';
import { setupPage, setupPageHeaders } from './setup-page.ts';
import type { SetupService } from './setup-service.ts';

/** The page that the setup link opens, and what it sends. The secret is behind the `#`, which browsers do not send. */
export function registerSetupRoutes(server: FastifyInstance, setup: SetupService): void {
  server.get('/setup', async (_request, reply) => reply.headers(setupPageHeaders).send(setupPage));
  server.post('/api/setup', { bodyLimit: 16 * 1024 }, async (request, reply): Promise<SetupResult> => {
    const result = await setup.setUp(parseInput(setupInputSchema, request.body ?? {}));
    reply.code(201);
    return result;
  });
}
