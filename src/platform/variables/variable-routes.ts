import type { FastifyInstance } from 'fastify';
import { variablesQuery } from '#contracts/api/deployment-operations';
import { changeVariablesSchema } from '#contracts/variables';
import type { Guards } from '../access/guards.ts';
import { parseInput } from '../server/parse-input.ts';
import type { VariableService } from './variable-service.ts';

/** The routes of `#contracts/variables`. */
export function registerVariableRoutes(server: FastifyInstance, guards: Guards, variables: VariableService): void {
  const onRequest = guards.user.check;
  server.get('/api/variables', { onRequest }, async (request) =>
    variables.list(guards.user.of(request), parseInput(variablesQuery, request.query).revision),
  );
  server.patch('/api/variables', { onRequest }, async (request) =>
    variables.change(guards.user.of(request), parseInput(changeVariablesSchema, request.body)),
  );
}
