import type { FastifyInstance } from 'fastify';
import { deploymentLogQuery, deploymentPath, pageQuery } from '#contracts/api/deployment-operations';
import { createDeploymentSchema, type DeploymentLog } from '#contracts/deployments';
import type { EnvironmentDataSources } from '#contracts/environments';
import type { Guards, SignedInUser } from '../access/guards.ts';
import type { EventHub } from '../events/event-hub.ts';
import { parseInput } from '../server/parse-input.ts';
import type { DeploymentService } from './deployment-service.ts';
import type { HostOrders } from './host-orders.ts';

/** The routes of `#contracts/deployments` that are about deployments. */
export function registerDeploymentRoutes(
  server: FastifyInstance,
  guards: Guards,
  deployments: DeploymentService,
  events: EventHub,
): void {
  const onRequest = guards.user.check;

  server.post('/api/deployments', { onRequest }, async (request, reply) => {
    const input = parseInput(createDeploymentSchema, request.body);
    return reply.code(201).send(await deployments.create(guards.user.of(request), input));
  });

  server.get('/api/deployments', { onRequest }, async (request) => {
    const { limit, before } = parseInput(pageQuery, request.query);
    return deployments.list(guards.user.of(request), limit, before);
  });

  server.get('/api/deployments/:number', { onRequest }, async (request) =>
    deployments.find(guards.user.of(request), parseInput(deploymentPath, request.params).number),
  );

  server.get('/api/deployments/:number/log', { onRequest }, async (request) => {
    const { number } = parseInput(deploymentPath, request.params);
    const { after, waitMs } = parseInput(deploymentLogQuery, request.query);
    const by = guards.user.of(request);
    const read = () => deployments.log(by, number, after);
    return waitMs === 0 ? read() : readWhenMore(events, by, read, waitMs);
  });
}

/** The log once there is more of it, once it is complete, or when the time is over. */
async function readWhenMore(
  events: EventHub,
  { environment }: SignedInUser,
  read: () => Promise<DeploymentLog>,
  waitMs: number,
): Promise<DeploymentLog> {
  let wake: () => void = () => undefined;
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
    wake();
  };
  const timer = setTimeout(end, waitMs);
  const after = await events.newest(environment.id);
  const unsubscribe = events.subscribe(environment.id, after, { send: () => wake(), end });
  try {
    for (;;) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const log = await read();
      if (hasEnded || log.lines.length > 0 || (log.state !== 'queued' && log.state !== 'checking')) return log;
      await woken;
    }
  } finally {
    clearTimeout(timer);
    unsubscribe();
  }
}

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
