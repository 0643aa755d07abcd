import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { pageQuery } from '#contracts/api/deployment-operations';
import {
  changePasswordSchema,
  changePersonSchema,
  createTeamSchema,
  type Role,
  type Team,
  usePasswordResetSchema,
} from '#contracts/people';
import { sessionQuerySchema } from '#contracts/sessions';
import { cloudError } from '#kernel/errors/cloud-error';
import { sha256Hex } from '#node/system/digest';
import { authorise } from '../access/authorise.ts';
import type { Guards } from '../access/guards.ts';
import type { UserRecord } from '../identity/identity-repository.ts';
import { noSuchMember, type PeopleRepository } from '../people/people-repository.ts';
import type { PeopleService } from '../people/people-service.ts';
import { clientAddress } from '../server/client-address.ts';
import { parseInput } from '../server/parse-input.ts';
import type { SessionRepository } from '../sessions/session-repository.ts';
import type { TeamRepository } from '../teams/team-repository.ts';
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
    const { environment, credential } = guards.user.of(request);
    const { id } = await personOf(request);
    const current = credential.kind === 'browser' ? credential.session.id : sha256Hex(credential.token);
    return sessions.list(environment.projectId, id, current);
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

const teamPath = z.object({ name: z.string() });

/** The routes of `#contracts/teams`: who may read rights may list teams and roles, who may manage people changes teams. */
export function registerTeamRoutes(
  server: FastifyInstance,
  guards: Guards,
  teams: TeamRepository,
  people: PeopleRepository,
): void {
  const onRequest = guards.user.check;
  server.get('/api/teams', { onRequest }, async (request): Promise<{ teams: readonly Team[] }> => {
    const by = guards.user.of(request);
    authorise(by, 'read rights');
    return { teams: await teams.list(by.environment.projectId) };
  });
  server.post('/api/teams', { onRequest }, async (request, reply): Promise<Team> => {
    const by = guards.user.of(request);
    authorise(by, 'manage people');
    const { name } = parseInput(createTeamSchema, request.body);
    reply.code(201);
    return teams.create(by.environment.projectId, name, by.author);
  });
  server.delete('/api/teams/:name', { onRequest }, async (request, reply) => {
    const by = guards.user.of(request);
    authorise(by, 'manage people');
    await teams.remove(by.environment.projectId, parseInput(teamPath, request.params).name, by.author);
    return reply.code(204).send();
  });
  server.get('/api/roles', { onRequest }, async (request): Promise<{ roles: readonly Role[] }> => {
    const by = guards.user.of(request);
    authorise(by, 'read rights');
    const roles = await people.listRoles(by.environment.projectId);
    return {
      roles: roles.map(({ needsSecondFactor, ...role }) => (needsSecondFactor ? { ...role, needsSecondFactor } : role)),
    };
  });
}
