import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { createTeamSchema, type Role, type Team } from '#contracts/teams';
import { authorise } from '../access/authorise.ts';
import type { Guards } from '../access/guards.ts';
import { parseInput } from '../server/parse-input.ts';
import type { TeamRepository } from '../teams/team-repository.ts';
import type { PeopleRepository } from './people-repository.ts';

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
    return { roles: roles.map(({ id, name, people: members }) => ({ id, name, people: members })) };
  });
}
