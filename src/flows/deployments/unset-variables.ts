import type { ProjectDataSource } from '#contracts/project-config';
import { cloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { PlatformClient } from '#platform-client/platform-client';
import { planVariables } from '../plan/plan-variables.ts';
import type { Live } from './live.ts';

interface DeployedTo {
  readonly client: Pick<PlatformClient, 'variables'>;
  readonly environment: string;
  readonly live: Live;
  readonly dataSources: Readonly<Record<string, ProjectDataSource>>;
}

/**
 * What a push or a promotion failed with. A deployment that failed may want a variable that an address of a database names and that
 * the environment does not have; then the command that sets it is the first next step.
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
