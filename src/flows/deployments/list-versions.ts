import type { Deployment } from '#contracts/deployments';
import type { VersionList } from '#contracts/versions';
import { openProject } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { connectToDeploy } from '../platform-access/connect-to-platform.ts';
import { readLive } from './live-deployment.ts';

export interface ListVersionsInput {
  readonly folder: string;
  /** Name of the environment; that of the token by default. */
  readonly environment?: string | undefined;
  readonly limit: number;
  /** Only versions with a lower number. */
  readonly before?: number | undefined;
}

export interface ListedVersions extends VersionList {
  readonly environment: string;
  /** Number of the version that is live in the environment; `null` for none. */
  readonly live: number | null;
  /** The newest deployment in which each of the versions served there, of the newest hundred: `rollback` takes its number. */
  readonly deployments: readonly { readonly number: number; readonly version: number }[];
}

/** The versions of a project, newest first. */
export async function listVersions(context: FlowContext, input: ListVersionsInput): Promise<ListedVersions> {
  const project = await openProject(context.fs, input.folder, context.variables);
  const { client } = await connectToDeploy(context, project, input.environment);
  const { limit, before } = input;
  const [{ environment }, live, list, { deployments }] = await Promise.all([
    client.me(),
    readLive(client),
    client.listVersions({ limit, before }),
    client.listDeployments({ limit: 100 }),
  ]);
  return { environment, live: live.deployment?.version ?? null, deployments: newestOf(list, deployments), ...list };
}

/** One deployment of each version that has served; they come newest first. */
function newestOf({ versions }: VersionList, deployments: readonly Deployment[]): ListedVersions['deployments'] {
  const served = deployments.filter(({ state }) => state === 'live' || state === 'replaced');
  return versions.flatMap(({ number: version }) => {
    const newest = served.find((deployment) => deployment.version === version);
    return newest ? [{ number: newest.number, version }] : [];
  });
}
