import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod';
import {
  type ApiTokenList,
  type ApiTokenWithSecret,
  createApiTokenSchema,
  rotateApiTokenSchema,
} from '#contracts/api-tokens';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Guards } from '../access/guards.ts';
import { clientAddress } from '../server/client-address.ts';
import { idempotencyKeyOf, sendOnce } from '../server/idempotency.ts';
import { parseInput } from '../server/parse-input.ts';
import type { ApiTokenService, TokenManager } from './api-token-service.ts';

const tokenPath = z.object({ id: z.coerce.number().int().positive().max(Number.MAX_SAFE_INTEGER) });
const projectPath = z.object({ project: z.string() });

/** The routes of `#contracts/api-tokens`, for people who have signed in to the project. An API token is no sign-in. */
export function registerApiTokenRoutes(server: FastifyInstance, guards: Guards, tokens: ApiTokenService): void {
  const onRequest = guards.user.check;
  const managerOf = (request: FastifyRequest): TokenManager => {
    const { user, environment } = guards.user.of(request);
    const { project } = parseInput(projectPath, request.params);
    if (project.normalize() !== environment.projectName.normalize()) throw noSuchProject();
    return { user, projectId: environment.projectId, address: clientAddress(request) };
  };
  const path = '/api/projects/:project/tokens';
  server.get(path, { onRequest }, async (request): Promise<ApiTokenList> => {
    return { tokens: await tokens.list(managerOf(request)) };
  });
  server.post(path, { onRequest }, async (request, reply) => {
    const input = parseInput(createApiTokenSchema, request.body);
    return sendOnce(reply, await tokens.create(managerOf(request), input, idempotencyKeyOf(request)));
  });
  server.post(`${path}/:id/rotate`, { onRequest }, async (request): Promise<ApiTokenWithSecret> => {
    const { id } = parseInput(tokenPath, request.params);
    return tokens.rotate(managerOf(request), id, parseInput(rotateApiTokenSchema, request.body ?? {}));
  });
  server.delete(`${path}/:id`, { onRequest }, async (request, reply) => {
    await tokens.revoke(managerOf(request), parseInput(tokenPath, request.params).id);
    return reply.code(204).send();
  });
}

function noSuchProject(): CloudError {
  return cloudError(
    'REQUEST_NOT_FOUND',
    'There is no such project, or you have signed in to another one.',
    'Check the name: capital letters count. To work on another project, sign in to it.',
  );
}
