import type { FastifyInstance } from 'fastify';
import type { EnvironmentDataSources } from '#contracts/environment-data-sources';
import type { Guards } from '../access/guards.ts';
import type { HostOrders } from './host-orders.ts';

/** The route of `#contracts/environment-data-sources`. */
export function registerDataSourceRoutes(server: FastifyInstance, guards: Guards, orders: HostOrders): void {
  const { check, of: environmentOf } = guards.environment;
  server.get('/agent/v1/data-sources', { onRequest: check }, async (request): Promise<EnvironmentDataSources> => {
    const environment = environmentOf(request);
    const { serve } = await orders(environment);
    return {
      project: environment.projectName,
      environment: environment.name,
      version: serve?.version ?? null,
      dataSources: serve?.dataSources ?? {},
    };
  });
}
