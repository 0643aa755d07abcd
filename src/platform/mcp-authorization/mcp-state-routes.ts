import type { FastifyInstance } from 'fastify';
import { keptMcpStateSchema, maxMcpStateBytes, mcpStateKeySchema, mcpStateSchema } from '#contracts/mcp-authorization';
import { cloudError } from '#kernel/errors/cloud-error';
import type { Guards } from '../access/guards.ts';
import { parseInput } from '../server/parse-input.ts';
import type { McpStateRepository } from './mcp-state-repository.ts';

const path = '/agent/v1/mcp/state/:kind/:id';

/** Keeps the state of the authorization servers of agents: `#contracts/mcp-authorization`. */
export function registerMcpStateRoutes(server: FastifyInstance, guards: Guards, states: McpStateRepository): void {
  const { check: onRequest, of: environmentOf } = guards.environment;
  server.put(path, { onRequest, bodyLimit: maxMcpStateBytes }, async (request, reply) => {
    const key = parseInput(mcpStateKeySchema, request.params);
    await states.save(environmentOf(request).id, key, parseInput(mcpStateSchema, request.body));
    return reply.code(204).send();
  });
  server.get(path, { onRequest }, async (request) => {
    const key = parseInput(mcpStateKeySchema, request.params);
    return keptMcpStateSchema.parse((await states.find(environmentOf(request).id, key)) ?? absent());
  });
  server.post(`${path}/uses`, { onRequest }, async (request) => {
    const key = parseInput(mcpStateKeySchema, request.params);
    return keptMcpStateSchema.parse((await states.use(environmentOf(request).id, key)) ?? absent());
  });
  server.delete(path, { onRequest }, async (request, reply) => {
    await states.remove(environmentOf(request).id, parseInput(mcpStateKeySchema, request.params));
    return reply.code(204).send();
  });
}

function absent(): never {
  throw cloudError(
    'REQUEST_NOT_FOUND',
    'The environment has no such entry, or it has expired.',
    'Let the person sign in again.',
  );
}
