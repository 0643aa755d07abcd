import type { EnvironmentSettings } from '#contracts/environments';
import { openProject } from '#project/index';
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
