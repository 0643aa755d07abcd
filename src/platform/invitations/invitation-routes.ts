import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { acceptInvitationSchema, createInvitationSchema } from '#contracts/people';
import type { Guards } from '../access/guards.ts';
import { clientAddress } from '../server/client-address.ts';
import { parseInput } from '../server/parse-input.ts';
import type { InvitationService } from './invitation-service.ts';

const invitationPath = z.object({ id: z.coerce.number().int().positive() });
const noQuery = z.strictObject({});

/** The routes of invitations in `#contracts/people`. */
export function registerInvitationRoutes(
  server: FastifyInstance,
  guards: Guards,
  invitations: InvitationService,
): void {
  const onRequest = guards.user.check;
  server.get('/api/invitations', { onRequest }, async (request) => {
    parseInput(noQuery, request.query);
    return { invitations: await invitations.list(guards.user.of(request)) };
  });
  server.post('/api/invitations', { onRequest }, async (request, reply) => {
    const input = parseInput(createInvitationSchema, request.body);
    return reply.code(201).send(await invitations.create(guards.user.of(request), input));
  });
  server.delete('/api/invitations/:id', { onRequest }, async (request, reply) => {
    await invitations.revoke(guards.user.of(request), parseInput(invitationPath, request.params).id);
    return reply.code(204).send();
  });
  server.post('/api/invitations/accept', async (request, reply) => {
    await invitations.accept(parseInput(acceptInvitationSchema, request.body), clientAddress(request));
    return reply.code(204).send();
  });
}
