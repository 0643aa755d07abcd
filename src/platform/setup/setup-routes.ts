import type { FastifyInstance } from 'fastify';
import { type SetupResult, setupInputSchema } from '#contracts/setup';
import { clientAddress } from '../server/client-address.ts';
import { parseInput } from '../server/parse-input.ts';
import { registerSetupPage } from './setup-page.ts';
import type { SetupService } from './setup-service.ts';

/** How the first administrator comes in: by the page that the setup link opens, or by a script. */
export function registerSetupRoutes(server: FastifyInstance, setup: SetupService, origin: () => string): void {
  registerSetupPage(server, setup, origin);
  server.post('/api/setup', { bodyLimit: 16 * 1024 }, async (request, reply): Promise<SetupResult> => {
    const result = await setup.setUp(parseInput(setupInputSchema, request.body ?? {}), clientAddress(request));
    reply.code(201);
    return result;
  });
}
