import type { Clock } from '#kernel/ports/clock';
import { type HostRepository, isConnected } from '../hosts/host-repository.ts';
import { advanceDeployments, type CheckVerdict } from './advance-deployment.ts';
import type { DeploymentRepository } from './deployment-repository.ts';

/**
 * Look at the hosts of an environment, and take its deployments as far as they allow. Resolves to the number of the deployment
 * that the platform has to check, because no host is connected.
 */
export type AdvanceEnvironment = (environmentId: number, verdict?: CheckVerdict) => Promise<number | undefined>;

export function createAdvance(
  deployments: DeploymentRepository,
  hosts: Pick<HostRepository, 'list'>,
  clock: Clock,
): AdvanceEnvironment {
  return async (environmentId, verdict) => {
    const now = clock.now();
    const connected = (await hosts.list(environmentId)).filter((host) => isConnected(host, now));
    return deployments.change(environmentId, (change) => advanceDeployments(change, connected, verdict));
  };
}
