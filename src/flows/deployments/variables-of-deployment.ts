import { type ProjectDataSource, urisOf } from '#contracts/project-config';
import { cloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { DeployingClient } from '#platform-client/deploying-client';
import type { Live } from './live-deployment.ts';

/** What a deployment would change of the variables that the code sees. Only names: nobody sees values. */
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
  client: Pick<DeployingClient, 'variables'>,
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
  const uris = Object.values(dataSources).flatMap(urisOf);
  return [...new Set(uris.flatMap((uri) => [...uri.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name)))];
}

interface DeployedTo {
  readonly client: Pick<DeployingClient, 'variables'>;
  readonly environment: string;
  readonly live: Live;
  readonly dataSources: Readonly<Record<string, ProjectDataSource>>;
}

/**
 * What a push or a promotion failed with. A deployment that failed may want a variable that an address of a database names and
 * that the environment does not have. Then the command that sets it is the first next step.
 */
export async function withUnsetVariables(
  thrown: unknown,
  { client, environment, live, dataSources }: DeployedTo,
): Promise<unknown> {
  if (!isCloudError(thrown) || thrown.code !== 'DEPLOYMENT_FAILED') return thrown;
  const variables = await planVariables(client, live, dataSources);
  const [first, ...others] = (variables?.missing ?? []).map(
    (name) => `Set ${name}: vendor-cloud variables set ${name} --env ${environment} < file-with-the-value`,
  );
  if (first === undefined) return thrown;
  const { code, message, safeDetails, nextSteps } = thrown;
  return cloudError(code, message, [first, ...others, ...nextSteps], { safeDetails, cause: thrown });
}
