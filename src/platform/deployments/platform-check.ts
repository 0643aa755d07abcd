import type { HostedProgram, HostVariables } from '#contracts/hosting';
import { toCloudError } from '#kernel/errors/cloud-error';
import type { Logger } from '#kernel/ports/logger';
import type { IdentityRepository } from '../identity/identity-repository.ts';
import type { Store } from '../store/store.ts';
import type { VariableService } from '../variables/variable-service.ts';
import type { VersionRepository } from '../versions/version-repository.ts';
import type { AdvanceEnvironment } from './advance-deployment.ts';
import type { HostOrders } from './host-orders.ts';

/**
 * Loads and tests a deployment as a host would. Rejects with what is wrong with it.
 *
 * @param signal Aborted when the platform stops.
 */
export type CheckDeployment = (
  program: HostedProgram,
  code: Uint8Array,
  variables: HostVariables,
  signal: AbortSignal,
) => Promise<void>;

/** Checks deployments in place of hosts, where none is connected. */
export interface PlatformCheck {
  /** Check what waits in the environment, one deployment after the other. Returns at once. */
  begin(environmentId: number): void;
  /** Give up the checks under way; another process, or the next start, does them again. */
  stop(): Promise<void>;
}

export interface PlatformCheckParts {
  readonly store: Store;
  readonly identity: Pick<IdentityRepository, 'findEnvironment'>;
  readonly versions: Pick<VersionRepository, 'readBundle'>;
  readonly variables: Pick<VariableService, 'read'>;
  readonly orders: HostOrders;
  readonly advance: AdvanceEnvironment;
  readonly logger: Logger;
  /** Without it, nothing is found wrong. */
  readonly checkDeployment: CheckDeployment | undefined;
}

export function createPlatformCheck(parts: PlatformCheckParts): PlatformCheck {
  const { store, identity, versions, variables, orders, advance, logger, checkDeployment } = parts;
  const stopping = new AbortController();
  /** The last check of each environment that has one under way. */
  const underWay = new Map<number, Promise<void>>();

  /** What is wrong with the deployment that waits. */
  const findProblem = async (environmentId: number): Promise<string | undefined> => {
    const environment = await identity.findEnvironment(environmentId);
    if (!checkDeployment || !environment) return undefined;
    try {
      const { check: program } = await orders(environment);
      if (!program) return undefined;
      const code = await versions.readBundle(environment.projectId, program.code.digest);
      if (!code) return 'The platform has lost the bundle of the version. Push it again.';
      const values = await variables.read(environment, program.variablesRevision);
      await checkDeployment(program, code, values, stopping.signal);
      return undefined;
    } catch (error) {
      return `The check of the platform found: ${toCloudError(error).message}`;
    }
  };

  const checkAll = async (environmentId: number): Promise<void> => {
    let waiting = await advance(environmentId);
    while (waiting !== undefined) {
      const problem = await findProblem(environmentId);
      if (stopping.signal.aborted) return;
      waiting = await advance(environmentId, { number: waiting, problem });
    }
  };

  const run = async (environmentId: number): Promise<void> => {
    if (stopping.signal.aborted) return;
    await store.exclusively(`check of environment ${environmentId}`, () => checkAll(environmentId));
  };

  return {
    begin(environmentId) {
      const before = underWay.get(environmentId) ?? Promise.resolve();
      const check = before
        .then(() => run(environmentId))
        .catch((error: unknown) => logger.log('Warn', 'A deployment could not be checked.', { error }))
        .finally(() => {
          if (underWay.get(environmentId) === check) underWay.delete(environmentId);
        });
      underWay.set(environmentId, check);
    },
    async stop() {
      stopping.abort();
      await Promise.all(underWay.values());
    },
  };
}
