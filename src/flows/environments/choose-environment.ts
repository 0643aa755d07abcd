import type { EnvironmentSettings } from '#contracts/environments';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import { openProject, readProjectLink, writeProjectLink } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { connectToPlatform } from '../platform-access/connect-to-platform.ts';

export interface EnvironmentList {
  readonly serverUrl: string;
  readonly project: string;
  /** The one that commands are about unless they name another. */
  readonly current: string;
  readonly environments: readonly EnvironmentSettings[];
}

/** The environments of a project on its platform, by name. */
export async function listEnvironments(context: FlowContext, folder: string): Promise<EnvironmentList> {
  const project = await openProject(context.fs, folder, context.variables);
  const { url, client } = await connectToPlatform(context, project);
  const [me, environments] = await Promise.all([client.me(), client.environments()]);
  return { serverUrl: url, project: me.project, current: me.environment, environments };
}

/** Make an environment the one that the commands of this copy of the project are about. Rejects with `USAGE_INVALID` if no environment has that name. */
export async function useEnvironment(
  context: FlowContext,
  { folder, name }: { readonly folder: string; readonly name: string },
): Promise<EnvironmentList> {
  const list = await listEnvironments(context, folder);
  const names = list.environments.map((environment) => environment.name);
  if (!names.includes(name)) throw unknown(name, names, list.project);
  const { root } = await openProject(context.fs, folder, context.variables);
  await writeProjectLink(context.fs, root, { ...(await readProjectLink(context.fs, root)), environment: name });
  if (context.variables['SERVICE_ENV'] !== undefined && context.variables['SERVICE_ENV'] !== name) {
    context.reporter.warn('SERVICE_ENV is set, and wins over what was chosen here.', 'Unset it.');
  }
  return { ...list, current: name };
}

function unknown(name: string, names: readonly string[], project: string): CloudError {
  return cloudError(
    'USAGE_INVALID',
    `The project "${project}" has no environment "${name}".${didYouMean(nearestName(name, names))}`,
    `Name one of: ${names.join(', ')}.`,
  );
}
