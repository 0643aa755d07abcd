import type { HostedProgram, Orders } from '#contracts/hosting';
import type { EnvironmentRecord } from '../identity/identity-repository.ts';
import type { VersionRepository } from '../versions/version-repository.ts';
import { findDeployableVersion } from './deployable-version.ts';
import type { DeploymentRecord, DeploymentRepository } from './deployment-repository.ts';

/** What the hosts of an environment are to do now. */
export type HostOrders = (environment: EnvironmentRecord) => Promise<Orders>;

export function createHostOrders(deployments: DeploymentRepository, versions: VersionRepository): HostOrders {
  const programOf = async (environment: EnvironmentRecord, deployment: DeploymentRecord): Promise<HostedProgram> => {
    const { number, versionNumber, variablesRevision } = deployment;
    const { code, dataSources, activityRequired, rest, builtWith } = await findDeployableVersion(
      versions,
      environment.projectId,
      versionNumber,
    );
    return {
      deployment: number,
      version: versionNumber,
      code,
      dataSources,
      activityRequired,
      rest,
      variablesRevision,
      builtWith,
    };
  };
  return async (environment) => {
    const { live, unfinished: next } = await deployments.current(environment.id);
    const served = next?.isChecked ? next : live;
    const checked = next && !next.isChecked && next.state === 'checking' ? next : undefined;
    return {
      serve: served ? await programOf(environment, served) : null,
      check: checked ? await programOf(environment, checked) : null,
    };
  };
}
