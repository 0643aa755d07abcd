import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { openProject } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { connectToDeploy } from '../platform-access/connect-to-platform.ts';
import { deploy } from './deploy.ts';
import { readLive } from './live-deployment.ts';
import { type ConfirmSwap, changesOfSwap, type Swapped, sayWhere } from './swap-confirmation.ts';
import { withUnsetVariables } from './variables-of-deployment.ts';

export interface PromoteInput {
  readonly folder: string;
  /** Name of the environment whose version is taken; that of the token by default. */
  readonly from: string | undefined;
  /** Name of the environment that should serve it. */
  readonly to: string;
  /** How long to wait for the end, in milliseconds. Default: for ever. */
  readonly timeoutMs?: number | undefined;
  readonly confirm: ConfirmSwap;
}

export interface Promoted extends Swapped {
  readonly from: string;
  /** The environment serves that version already, with its newest variables. */
  readonly isUnchanged: boolean;
}

/** Serve in one environment the very build that another one serves, with its own variables. Nothing is built or uploaded. */
export async function promote(context: FlowContext, input: PromoteInput): Promise<Promoted> {
  const project = await openProject(context.fs, input.folder, context.variables);
  const [source, goal] = await Promise.all([
    connectToDeploy(context, project, input.from),
    connectToDeploy(context, project, input.to),
  ]);
  const [{ environment: from }, served, me, live] = await Promise.all([
    source.client.me(),
    readLive(source.client),
    goal.client.me(),
    readLive(goal.client),
  ]);
  const { environment } = me;
  sayWhere(context, me, goal.url, `Promoting what serves in ${from}:`);
  if (from === environment) throw sameEnvironment(environment);
  if (!served.version) throw nothingServed(from);
  const { version } = served;
  const result = { from, environment };
  if (live.version?.number === version.number && live.deployment?.variablesRevision === live.newestVariables)
    return { ...result, isUnchanged: true, deployment: live.deployment };
  const changes = await changesOfSwap(goal.client, live.version, version);
  if (!(await input.confirm({ environment, current: live, target: { deployment: null, version }, changes })))
    return { ...result, isUnchanged: false, deployment: null };
  const wanted = { target: { version: version.number }, base: live.base, timeoutMs: input.timeoutMs };
  try {
    return { ...result, isUnchanged: false, deployment: await deploy(context, goal.client, wanted) };
  } catch (error) {
    const { dataSources } = project.config;
    throw await withUnsetVariables(error, { client: goal.client, environment, live, dataSources });
  }
}

function sameEnvironment(environment: string): CloudError {
  return cloudError(
    'USAGE_INVALID',
    `A version is promoted from one environment to another, and both are "${environment}".`,
    'Name two: vendor-cloud promote --from staging --to production',
  );
}

function nothingServed(environment: string): CloudError {
  return cloudError(
    'REQUEST_NOT_FOUND',
    `Nothing is live in "${environment}", so that there is nothing to promote.`,
    `Push a version there first: vendor-cloud push --env ${environment}`,
  );
}
