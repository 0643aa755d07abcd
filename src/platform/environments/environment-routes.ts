import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { changeEnvironmentSchema, createEnvironmentSchema } from '#contracts/environments';
import type { Guards } from '../access/guards.ts';
import { parseInput } from '../server/parse-input.ts';
import type { EnvironmentService } from './environment-service.ts';

const environmentPath = z.object({ name: z.string() });
const noQuery = z.strictObject({});

/** The routes of `#contracts/environments`. */
export function registerEnvironmentRoutes(
  server: FastifyInstance,
  guards: Guards,
  environments: EnvironmentService,
): void {
  const onRequest = guards.user.check;
  server.get('/api/environments', { onRequest }, async (request) => {
    parseInput(noQuery, request.query);
    return { environments: await environments.list(guards.user.of(request)) };
  });
  server.post('/api/environments', { onRequest }, async (request, reply) => {
    const input = parseInput(createEnvironmentSchema, request.body);
    return reply.code(201).send(await environments.create(guards.user.of(request), input));
  });
  server.patch('/api/environments/:name', { onRequest }, async (request) => {
    const { name } = parseInput(environmentPath, request.params);
    return environments.change(guards.user.of(request), name, parseInput(changeEnvironmentSchema, request.body));
  });
  server.post('/api/environments/:name/secret', { onRequest }, async (request) => {
    const { name } = parseInput(environmentPath, request.params);
    return environments.rotateSecret(guards.user.of(request), name);
  });
}
