import type { FastifyInstance } from 'fastify';
import { cloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Logger } from '#kernel/ports/logger';
import type { Random } from '#kernel/ports/random';
import type { SealedTexts } from '#kernel/ports/sealed-texts';
import { createSealedTexts } from '#node/system/secrets';
import type { Guards } from '../access/guards.ts';
import type { AdminLog } from '../audit/admin-log.ts';
import type { EventHub } from '../events/event-hub.ts';
import { createHostRepository } from '../hosts/host-repository.ts';
import type { IdentityRepository } from '../identity/identity-repository.ts';
import type { Store } from '../store/store.ts';
import { createVariableRepository } from '../variables/variable-repository.ts';
import { createVariableService, registerVariableRoutes } from '../variables/variable-service.ts';
import { createVersionRepository } from '../versions/version-repository.ts';
import { createVersionService, registerVersionRoutes } from '../versions/version-service.ts';
import { createAdvance, sweepDeployments } from './advance-deployment.ts';
import { createDeploymentRepository } from './deployment-repository.ts';
import { registerDataSourceRoutes, registerDeploymentRoutes } from './deployment-routes.ts';
import { createDeploymentService } from './deployment-service.ts';
import { createHostOrders } from './host-orders.ts';
import { registerHostRoutes } from './host-routes.ts';
import { type CheckDeployment, createPlatformCheck } from './platform-check.ts';

export interface DeploymentServiceOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly platformKey?: string;
  readonly checkDeployment?: CheckDeployment;
  /** There where somebody develops, whose session serves every save. */
  readonly devEvents?: unknown;
}

const servedByDev = 'No host serves it: "dev" goes on to serve the code of the last save.';

/** Versions, what is deployed of them, who serves it, and with which variables. */
export function registerDeploymentServices(
  server: FastifyInstance,
  store: Store,
  guards: Guards,
  {
    identity,
    events,
    adminLog,
  }: { readonly identity: IdentityRepository; readonly events: EventHub; readonly adminLog: AdminLog },
  { clock, random, logger, platformKey, checkDeployment, devEvents }: DeploymentServiceOptions,
): void {
  const versions = createVersionRepository(store, clock, adminLog);
  const hosts = createHostRepository(store, clock);
  const deployments = createDeploymentRepository(store, clock, adminLog);
  const sealed = platformKey === undefined ? noKey : createSealedTexts(platformKey, 'variables of environments');
  const variables = createVariableService(createVariableRepository(store, sealed, clock, random, adminLog));
  const orders = createHostOrders(deployments, versions);
  const advance = createAdvance(deployments, hosts, clock, devEvents ? servedByDev : undefined);
  const platformCheck = createPlatformCheck({
    store,
    identity,
    versions,
    variables,
    orders,
    advance,
    logger,
    checkDeployment,
  });
  const service = createDeploymentService({ deployments, versions, variables, advance, platformCheck });
  registerVersionRoutes(server, guards, createVersionService(versions));
  registerVariableRoutes(server, guards, variables);
  registerDeploymentRoutes(server, guards, service, events);
  registerHostRoutes(server, guards, {
    hosts,
    deployments,
    advance: service.advance,
    orders,
    versions,
    variables,
    clock,
  });
  registerDataSourceRoutes(server, guards, orders);
  const stopSweep = sweepDeployments(store, deployments, service.advance, logger);
  server.addHook('onClose', async () => {
    await stopSweep();
    await platformCheck.stop();
  });
}

const noKey: SealedTexts = { seal: refuseWithoutKey, open: refuseWithoutKey };

async function refuseWithoutKey(): Promise<never> {
  throw cloudError(
    'PLATFORM_KEY_WRONG',
    'The platform was started without a key, so it keeps no variables.',
    'Start it with the key in SERVICE_PLATFORM_KEY.',
  );
}
