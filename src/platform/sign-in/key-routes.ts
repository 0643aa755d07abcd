import type { FastifyInstance } from 'fastify';
import { authorise } from '../access/authorise.ts';
import type { Guards } from '../access/guards.ts';
import type { SignInKeyring } from '../provider/provider-keys.ts';

/** `POST /api/sign-in-keys/rotate`: sign with a new key from now on. The one before stays published for a day. */
export function registerKeyRoutes(server: FastifyInstance, guards: Guards, keyring: SignInKeyring): void {
  server.post('/api/sign-in-keys/rotate', { onRequest: guards.user.check }, async (request, reply) => {
    const by = guards.user.of(request);
    authorise(by, 'rotate sign-in keys');
    await keyring.rotate(by.author);
    return reply.code(204).send();
  });
}
