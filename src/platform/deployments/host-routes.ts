import type { FastifyInstance } from 'fastify';
import { bundlePath, hostLogQuery, hostPath, revisionPath } from '#contracts/api/deployment-operations';
import type { HostList, LogPage } from '#contracts/deployments';
import { beatSchema } from '#contracts/hosting';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import { authorise } from '../access/authorise.ts';
import type { Guards } from '../access/guards.ts';
import type { HostRepository } from '../hosts/host-repository.ts';
import { parseInput } from '../server/parse-input.ts';
import type { VariableService } from '../variables/variable-service.ts';
import type { VersionRepository } from '../versions/version-repository.ts';
import type { DeploymentRepository } from './deployment-repository.ts';
import type { DeploymentService } from './deployment-service.ts';
import type { HostOrders } from './host-orders.ts';
import { judgedHost } from './judged-host.ts';

export interface HostServices {
  readonly hosts: HostRepository;
  readonly deployments: DeploymentRepository;
  readonly advance: DeploymentService['advance'];
  readonly orders: HostOrders;
  readonly versions: VersionRepository;
  readonly variables: VariableService;
  readonly clock: Clock;
}

/** The routes of `#contracts/hosting`, and what people see of hosts. */
export function registerHostRoutes(server: FastifyInstance, guards: Guards, services: HostServices): void {
  const { hosts, deployments, advance, orders, versions, variables, clock } = services;
  const { check, of: environmentOf } = guards.environment;

  server.post('/host/v1/beats', { onRequest: check }, async (request) => {
    const environment = environmentOf(request);
    const beat = parseInput(beatSchema, request.body);
    if (await hosts.noteBeat(environment.id, beat)) await advance(environment.id);
    return orders(environment);
  });

  server.get('/host/v1/bundles/:digest', { onRequest: check }, async (request, reply) => {
    const { digest } = parseInput(bundlePath, request.params);
    const content = await versions.readBundle(environmentOf(request).projectId, digest);
    if (!content) throw bundleUnknown(digest);
    return reply.type('application/octet-stream').send(Buffer.from(content));
  });

  server.get('/host/v1/variables/:revision', { onRequest: check }, async (request, reply) => {
    const { revision } = parseInput(revisionPath, request.params);
    return reply.header('cache-control', 'no-store').send(await variables.read(environmentOf(request), revision));
  });

  server.delete('/host/v1/hosts/:id', { onRequest: check }, async (request, reply) => {
    const environment = environmentOf(request);
    await hosts.leave(environment.id, parseInput(hostPath, request.params).id);
    await advance(environment.id);
    return reply.code(204).send();
  });

  server.get('/api/hosts', { onRequest: guards.user.check }, async (request): Promise<HostList> => {
    const by = guards.user.of(request);
    authorise(by, 'read the project');
    const { id } = by.environment;
    const [all, current] = await Promise.all([hosts.list(id), deployments.current(id)]);
    const judged = all.map(async (host) => {
      const served = host.serving === null ? undefined : await deployments.find(id, host.serving);
      return judgedHost(host, { ...current, served, now: clock.now() });
    });
    return { hosts: await Promise.all(judged) };
  });

  server.get('/api/logs', { onRequest: guards.user.check }, async (request): Promise<LogPage> => {
    const by = guards.user.of(request);
    authorise(by, 'read logs');
    const { limit, ...filter } = parseInput(hostLogQuery, request.query);
    const lines = await hosts.listLines(by.environment.id, { limit: limit + 1, ...withoutAbsent(filter) });
    const page = lines.slice(0, limit);
    return {
      lines: page.map(({ sequence, host, at, level, text }) => ({
        sequence,
        host,
        at: new Date(at).toISOString(),
        level,
        text,
      })),
      nextBefore: lines.length > limit ? (page.at(-1)?.sequence ?? null) : null,
    };
  });
}

type Filter = Pick<Parameters<HostRepository['listLines']>[1], 'before' | 'level' | 'host'>;

function withoutAbsent(filter: { readonly [Name in keyof Filter]?: Filter[Name] | undefined }): Filter {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as Filter;
}

function bundleUnknown(digest: string): CloudError {
  return cloudError('REQUEST_NOT_FOUND', `The project has no bundle ${digest}.`, 'Ask for the bundle of a deployment.');
}
