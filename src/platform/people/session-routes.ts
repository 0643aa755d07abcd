import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { sessionQuerySchema } from '#contracts/sessions';
import { cloudError } from '#kernel/errors/cloud-error';
import { sha256Hex } from '#node/system/digest';
import { authorise } from '../access/authorise.ts';
import { bearerOf, type Guards } from '../access/guards.ts';
import type { UserRecord } from '../identity/identity-repository.ts';
import { parseInput } from '../server/parse-input.ts';
import type { SessionRepository } from '../sessions/session-repository.ts';
import { noSuchMember, type PeopleRepository } from './people-repository.ts';

const sessionPath = z.object({ id: z.string() });

/**
 * The routes of `#contracts/sessions`: one's own sessions, and those of others for who may manage people.
 * `DELETE /api/sessions/current` signs out.
 */
export function registerSessionRoutes(
  server: FastifyInstance,
  guards: Guards,
  sessions: SessionRepository,
  people: PeopleRepository,
): void {
  const onRequest = guards.user.check;
  const personOf = async (request: FastifyRequest): Promise<UserRecord> => {
    const by = guards.user.of(request);
    const { person = by.user.id } = parseInput(sessionQuerySchema, request.query);
    if (person === by.user.id) return by.user;
    authorise(by, 'manage people');
    const found = await people.find(by.environment.projectId, person);
    if (found) return found;
    throw noSuchMember(person);
  };
  const listFor = async (request: FastifyRequest) => {
    const { projectId } = guards.user.of(request).environment;
    const { id } = await personOf(request);
    return sessions.list(projectId, id, sha256Hex(bearerOf(request) ?? ''));
  };
  server.get('/api/sessions', { onRequest }, async (request) => ({ sessions: await listFor(request) }));
  server.delete('/api/sessions', { onRequest }, async (request, reply) => {
    const { environment, author } = guards.user.of(request);
    await sessions.endAll(environment.projectId, await personOf(request), author);
    return reply.code(204).send();
  });
  server.delete('/api/sessions/:id', { onRequest }, async (request, reply) => {
    const person = await personOf(request);
    const { environment, author } = guards.user.of(request);
    const { id: asked } = parseInput(sessionPath, request.params);
    const current = asked === 'current' ? (await listFor(request)).find(({ isCurrent }) => isCurrent)?.id : asked;
    if (await sessions.end(environment.projectId, person, current ?? asked, author)) return reply.code(204).send();
    throw cloudError(
      'REQUEST_NOT_FOUND',
      'There is no such session, or it has ended.',
      'List the sessions with GET /api/sessions.',
    );
  });
}
