import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { pageQuery } from '#contracts/api/deployment-operations';
import { changePasswordSchema, changePersonSchema, usePasswordResetSchema } from '#contracts/people';
import type { Guards } from '../access/guards.ts';
import type { PeopleService } from '../people/people-service.ts';
import { clientAddress } from '../server/client-address.ts';
import { parseInput } from '../server/parse-input.ts';
import type { PasswordService } from './password-service.ts';

const personPath = z.object({ id: z.coerce.number().int().positive() });
const noQuery = z.strictObject({});

/** The routes of people and passwords in `#contracts/people`. */
export function registerPeopleRoutes(
  server: FastifyInstance,
  guards: Guards,
  people: PeopleService,
  passwords: PasswordService,
): void {
  const onRequest = guards.user.check;
  server.get('/api/people', { onRequest }, async (request) => {
    parseInput(noQuery, request.query);
    return { people: await people.list(guards.user.of(request)) };
  });
  server.get('/api/people/history', { onRequest }, async (request) =>
    people.history(guards.user.of(request), parseInput(pageQuery, request.query)),
  );
  server.patch('/api/people/:id', { onRequest }, async (request) => {
    const { id } = parseInput(personPath, request.params);
    return people.change(guards.user.of(request), id, parseInput(changePersonSchema, request.body));
  });
  server.post('/api/people/:id/password-reset', { onRequest }, async (request, reply) => {
    const { id } = parseInput(personPath, request.params);
    return reply.code(201).send(await passwords.makeReset(guards.user.of(request), id));
  });
  server.post('/api/me/password', { onRequest }, async (request, reply) => {
    const input = parseInput(changePasswordSchema, request.body);
    await passwords.change(guards.user.of(request), input, clientAddress(request));
    return reply.code(204).send();
  });
  server.post('/api/password-resets/use', async (request, reply) => {
    await passwords.useReset(parseInput(usePasswordResetSchema, request.body), clientAddress(request));
    return reply.code(204).send();
  });
}
