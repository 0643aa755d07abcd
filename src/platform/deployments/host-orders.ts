import type { HostedProgram, Orders } from '#contracts/hosting';
import type { VersionContent } from '#contracts/versions';
import { cloudError } from '#kernel/errors/cloud-error';
import type { EnvironmentRecord } from '../identity/identity-repository.ts';
import type { VersionRecord, VersionRepository } from '../versions/version-repository.ts';
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

/** What is served of a version, and which version of this package built it. */
type DeployableVersion = VersionContent & Pick<VersionRecord, 'builtWith'>;

/** What is served of a version. Rejects with `REQUEST_NOT_FOUND`, or `REQUEST_UNPROCESSABLE` for one of an older format. */
export async function findDeployableVersion(
  versions: Pick<VersionRepository, 'findVersion'>,
  projectId: number,
  number: number,
): Promise<DeployableVersion> {
  const version = await versions.findVersion(projectId, number);
  if (!version) {
    throw cloudError(
      'REQUEST_NOT_FOUND',
      `The project has no version ${number}.`,
      'Push it first, or name another one.',
    );
  }
  return { ...contentOf(version), builtWith: version.builtWith };
}

function contentOf({ number, content }: VersionRecord): VersionContent {
  if (content !== null) return JSON.parse(content) as VersionContent;
  throw cloudError(
    'REQUEST_UNPROCESSABLE',
    `Version ${number} was pushed by an older version of the command line, and does not say which databases it is for.`,
    'Push it again.',
  );
}
