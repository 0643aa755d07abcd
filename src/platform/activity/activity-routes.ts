import type { FastifyInstance } from 'fastify';
import { activityBatchSchema } from '#contracts/activity';
import type { Guards } from '../access/guards.ts';
import { parseInput } from '../server/parse-input.ts';
import type { ActivityService } from './activity-service.ts';

/** What agents report of what people do. A batch that is sent again changes nothing. */
export function registerActivityRoutes(server: FastifyInstance, guards: Guards, activities: ActivityService): void {
  const onRequest = guards.environment.check;

  server.post('/agent/v1/activities', { onRequest }, async (request, reply) => {
    const batch = parseInput(activityBatchSchema, request.body);
    await activities.record(guards.environment.of(request), batch.activities);
    return reply.code(204).send();
  });
}
