import type { Deployment } from '#contracts/deployments';
import { CloudError } from '#kernel/errors/cloud-error';
import type { PlatformClient } from '#platform/index';
import { openProject } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { connectToPlatform } from '../platform-access/connect-to-platform.ts';
import { deploy } from './deploy.ts';

export interface RollBackInput {
  readonly folder: string;
  readonly environment: string | undefined;
  /** Number of the deployment to go back to; the one before the live one by default. */
  readonly to: number | undefined;
}

/** A deployment that is live, and where. */
export interface Deployed {
  readonly environment: string;
  readonly deployment: Deployment;
}

/** Serve again what an earlier deployment served, with the variables it had. */
export async function rollBack(context: FlowContext, input: RollBackInput): Promise<Deployed> {
  const project = await openProject(context.fs, input.folder, context.variables);
  const { client } = await connectToPlatform(context, project, input.environment);
  const { environment } = await client.me();
  const { live, deployment } = await findTarget(client, environment, input.to);
  return { environment, deployment: await deploy(context, client, { target: { deployment }, base: live }) };
}

async function findTarget(client: PlatformClient, environment: string, to: number | undefined) {
  for (let before: number | undefined; ; ) {
    const { live, deployments, nextBefore } = await client.listDeployments({ limit: 100, before });
    if (to !== undefined) return { live, deployment: to };
    const earlier = deployments.find(({ state, number }) => state === 'replaced' && live !== null && number < live);
    if (earlier) return { live, deployment: earlier.number };
    if (nextBefore === null) throw nothingBefore(environment);
    before = nextBefore;
  }
}

function nothingBefore(environment: string): CloudError {
  return new CloudError({
    code: 'REQUEST_NOT_FOUND',
    message: `No earlier deployment has served in "${environment}".`,
    nextSteps: ['Push a version that is right.'],
  });
}
