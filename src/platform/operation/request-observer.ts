import type { FastifyInstance } from 'fastify';
import type { ObservedRequest } from '../server/observed-request.ts';
import type { Metrics } from './metrics.ts';

/** Counts each request and tells it once, when its connection has its answer or is gone. */
export function observeRequests(
  server: FastifyInstance,
  metrics: Metrics,
  tell: (request: ObservedRequest) => void,
): void {
  server.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    const { id, method, ip } = request;
    const route = request.routeOptions.url ?? null;
    const count = metrics.request(route);
    const startedAt = performance.now();
    reply.raw.once('close', () => {
      const ms = Math.round((performance.now() - startedAt) * 10) / 10;
      const { statusCode: status, writableFinished } = reply.raw;
      const observed = { id, method, route, status, ms, ip, isAborted: !writableFinished };
      count(observed);
      tell(observed);
    });
  });
}
