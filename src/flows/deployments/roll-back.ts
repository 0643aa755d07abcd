import type { Deployment } from '#contracts/deployments';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { DeployingClient } from '#platform-client/deploying-client';
import { openProject } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { connectToDeploy } from '../platform-access/connect-to-platform.ts';
import { deploy } from './deploy.ts';
import { findVersion, readLive } from './live-deployment.ts';
import { type ConfirmSwap, changesOfSwap, type Swapped, sayWhere } from './swap-confirmation.ts';

export interface RollBackInput {
  readonly folder: string;
  readonly environment: string | undefined;
  /** Number of the deployment to go back to; the one before the live one by default. */
  readonly to: number | undefined;
  /** How long to wait for the end, in milliseconds. Default: for ever. */
  readonly timeoutMs?: number | undefined;
  readonly confirm: ConfirmSwap;
}

/** Serve again what an earlier deployment served, with the variables it had. Nothing is built, so that it works whatever the code is like. */
export async function rollBack(context: FlowContext, input: RollBackInput): Promise<Swapped> {
  const project = await openProject(context.fs, input.folder, context.variables);
  const { url, client } = await connectToDeploy(context, project, input.environment);
  const [me, live] = await Promise.all([client.me(), readLive(client)]);
  const { environment } = me;
  sayWhere(context, me, url, 'Rolling back');
  const served =
    input.to === undefined ? await findEarlier(client, environment, live.base) : await client.deployment(input.to);
  if (served.number === live.base) throw liveAlready(environment, served.number);
  const target = { deployment: served, version: await findVersion(client, served.version) };
  const changes = await changesOfSwap(client, live.version, target.version);
  if (!(await input.confirm({ environment, current: live, target, changes }))) return { environment, deployment: null };
  const wanted = { target: { deployment: served.number }, base: live.base, timeoutMs: input.timeoutMs };
  return { environment, deployment: await deploy(context, client, wanted) };
}

/** The deployment that served before the live one. */
async function findEarlier(client: DeployingClient, environment: string, live: number | null): Promise<Deployment> {
  for (let before: number | undefined; ; ) {
    const { deployments, nextBefore } = await client.listDeployments({ limit: 100, before });
    const earlier = deployments.find(({ state, number }) => state === 'replaced' && live !== null && number < live);
    if (earlier) return earlier;
    if (nextBefore === null) throw nothingBefore(environment);
    before = nextBefore;
  }
}

function liveAlready(environment: string, number: number): CloudError {
  return cloudError('USAGE_INVALID', `Deployment ${number} is live in "${environment}" already.`, [
    `Go back to the one before: vendor-cloud rollback --env ${environment}`,
    `See which deployments there are: vendor-cloud versions --env ${environment}`,
  ]);
}

function nothingBefore(environment: string): CloudError {
  return cloudError(
    'REQUEST_NOT_FOUND',
    `No earlier deployment has served in "${environment}".`,
    `Push a version that is right: vendor-cloud push --env ${environment}`,
  );
}
