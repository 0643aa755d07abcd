import type { ProjectDataSource } from '#contracts/project-config';
import { isCloudError } from '#kernel/errors/cloud-error';
import type { PlatformClient } from '#platform-client/platform-client';
import type { Live } from '../deployments/live.ts';

/** What a deployment would change of the variables that the code sees. Names alone: nobody sees values. */
export interface VariablePlan {
  /** Revisions, of what is live and of what a push would deploy. */
  readonly before: number | null;
  readonly after: number;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Variables that the addresses of databases name and that the environment does not have. A host may bring them along. */
  readonly missing: readonly string[];
}

/** `null` where one may not see the variables of the environment. */
export async function planVariables(
  client: Pick<PlatformClient, 'variables'>,
  { deployment, newestVariables }: Live,
  dataSources: Readonly<Record<string, ProjectDataSource>>,
): Promise<VariablePlan | null> {
  const before = deployment?.variablesRevision ?? null;
  try {
    const [was, is] = await Promise.all([
      before === null ? undefined : client.variables(before),
      client.variables(newestVariables),
    ]);
    const served = was?.names ?? [];
    return {
      before,
      after: newestVariables,
      added: is.names.filter((name) => !served.includes(name)),
      removed: served.filter((name) => !is.names.includes(name)),
      missing: namesIn(dataSources).filter((name) => !is.names.includes(name)),
    };
  } catch (error) {
    if (isCloudError(error) && error.safeDetails['status'] === 403) return null;
    throw error;
  }
}

function namesIn(dataSources: Readonly<Record<string, ProjectDataSource>>): readonly string[] {
  const uris = Object.values(dataSources).map(({ uri }) => uri);
  return [...new Set(uris.flatMap((uri) => [...uri.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name)))];
}
