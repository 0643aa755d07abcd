import type { FastifyInstance } from 'fastify';
import type { HostedProgram, HostVariables } from '#contracts/hosting';
import { createSealedTexts, type SealedTexts } from '#host/system/sealed-text';
import { CloudError, toCloudError } from '#kernel/errors/cloud-error';
import type { Clock } from '#kernel/ports/clock';
import type { Logger } from '#kernel/ports/logger';
import type { Random } from '#kernel/ports/random';
import type { EventHub } from '../events/event-hub.ts';
import { createHostRepository } from '../hosts/host-repository.ts';
import { registerHostRoutes } from '../hosts/host-routes.ts';
import { createIdentityRepository } from '../identity/identity-repository.ts';
import type { Guards } from '../server/guards.ts';
import type { Store } from '../store/store.ts';
import { registerVariableRoutes } from '../variables/variable-routes.ts';
import { createVariableService } from '../variables/variable-service.ts';
import { createVersionRepository } from '../versions/version-repository.ts';
import { registerVersionRoutes } from '../versions/version-routes.ts';
import { createVersionService } from '../versions/version-service.ts';
import { createDeploymentRepository } from './deployment-repository.ts';
import { registerDeploymentRoutes } from './deployment-routes.ts';
import { createDeploymentService, type DeploymentService } from './deployment-service.ts';
import { sweepDeployments } from './sweep-deployments.ts';

/** Loads and tests a deployment as a host would. Rejects with what is wrong with it. */
export type CheckDeployment = (program: HostedProgram, code: Uint8Array, variables: HostVariables) => Promise<void>;

export interface DeploymentServiceOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly platformKey?: string;
  readonly checkDeployment?: CheckDeployment;
}

/** Versions, what is deployed of them, who serves it, and with which variables. */
export function registerDeploymentServices(
  server: FastifyInstance,
  store: Store,
  guards: Guards,
  events: EventHub,
  { clock, random, logger, platformKey, checkDeployment }: DeploymentServiceOptions,
): void {
  const identity = createIdentityRepository(store, clock);
  const versions = createVersionRepository(store, clock);
  const hosts = createHostRepository(store, clock);
  const deployments = createDeploymentRepository(store, clock);
  const sealed = platformKey === undefined ? noKey : createSealedTexts(platformKey, 'variables of environments');
  const variables = createVariableService(store, sealed, clock, random);

  const checkHere = async (environmentId: number): Promise<string | undefined> => {
    const environment = await identity.findEnvironment(environmentId);
    if (!checkDeployment || !environment) return undefined;
    try {
      const { check: program } = await service.orders(environment);
      if (!program) return undefined;
      const code = await versions.readBundle(environment.projectId, program.code.digest);
      if (code) await checkDeployment(program, code, await variables.read(environment, program.variablesRevision));
      return undefined;
    } catch (error) {
      return `The check of the platform found: ${toCloudError(error).message}`;
    }
  };

  const service: DeploymentService = createDeploymentService({
    deployments,
    versions,
    variables,
    hosts,
    clock,
    checkHere,
  });
  registerVersionRoutes(server, guards, createVersionService(versions));
  registerVariableRoutes(server, guards, variables);
  registerDeploymentRoutes(server, guards, service, events);
  registerHostRoutes(server, guards, { hosts, deployments: service, versions, variables, clock });
  const stopSweep = sweepDeployments(store, deployments, service, logger);
  server.addHook('onClose', stopSweep);
}

const noKey: SealedTexts = { seal: refuseWithoutKey, open: refuseWithoutKey };

async function refuseWithoutKey(): Promise<never> {
  throw new CloudError({
    code: 'PLATFORM_KEY_WRONG',
    message: 'The platform was started without a key, so it keeps no variables.',
    nextSteps: ['Start it with the key in SERVICE_PLATFORM_KEY.'],
  });
}
