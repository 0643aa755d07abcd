import type { VersionContent } from '#contracts/bundle-manifest';
import { cloudError } from '#kernel/errors/cloud-error';
import type { VersionRecord, VersionRepository } from '../versions/version-repository.ts';

/** What is served of a version, and which version of this package built it. */
export type DeployableVersion = VersionContent & Pick<VersionRecord, 'builtWith'>;

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
