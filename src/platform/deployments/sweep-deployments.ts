import type { Logger } from '#kernel/ports/logger';
import type { Store } from '../store/store.ts';
import type { DeploymentRepository } from './deployment-repository.ts';
import type { DeploymentService } from './deployment-service.ts';

/** How often deployments are looked at whose hosts may have gone silent, in milliseconds. */
const sweepMs = 5_000;

/**
 * Go on with deployments that wait for hosts which went away, or whose process of the platform ended. One process of the
 * platform does it at a time. Returns how to stop.
 */
export function sweepDeployments(
  store: Store,
  repository: DeploymentRepository,
  service: DeploymentService,
  logger: Logger,
): () => Promise<void> {
  let sweeping: Promise<unknown> = Promise.resolve();
  const sweep = async () => {
    for (const environmentId of await repository.environmentsWithUnfinished()) await service.advance(environmentId);
  };
  const timer = setInterval(() => {
    sweeping = sweeping
      .then(() => store.exclusively('deployment sweep', sweep))
      .catch((error: unknown) => logger.log('Warn', 'Deployments could not be looked at.', { error }));
  }, sweepMs).unref();
  return async () => {
    clearInterval(timer);
    await sweeping;
  };
}
