import type { Deployment } from '#contracts/deployments';
import type { Version } from '#contracts/versions';
import type { DeployingClient } from '#platform-client/deploying-client';

/** What an environment serves now, and what the next deployment would start from. */
export interface Live {
  /** Number of the deployment that is live; `null` before the first. */
  readonly base: number | null;
  readonly deployment: Deployment | null;
  readonly version: Version | null;
  /** Revision of the variables that the next deployment takes. */
  readonly newestVariables: number;
}

type Reads = Pick<DeployingClient, 'listDeployments' | 'deployment' | 'listVersions'>;

export async function readLive(client: Reads): Promise<Live> {
  const { live: base, newestVariables, deployments } = await client.listDeployments({ limit: 1 });
  if (base === null) return { base, deployment: null, version: null, newestVariables };
  const deployment = deployments.find(({ number }) => number === base) ?? (await client.deployment(base));
  return { base, deployment, version: await findVersion(client, deployment.version), newestVariables };
}

/** A version by its number; `null` where the project has none. */
export async function findVersion(
  client: Pick<DeployingClient, 'listVersions'>,
  number: number,
): Promise<Version | null> {
  const { versions } = await client.listVersions({ limit: 1, before: number + 1 });
  return versions.find((version) => version.number === number) ?? null;
}

/** Whether an environment serves this content, with its newest variables. */
export function isServed({ deployment, version, newestVariables }: Live, contentDigest: string): boolean {
  return version?.contentDigest === contentDigest && deployment?.variablesRevision === newestVariables;
}
