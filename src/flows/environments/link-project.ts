import type { ProjectLink } from '#contracts/project-config';
import { openProject, readProjectLink, writeProjectLink } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { platformUrlIn } from '../platform-access/connect-to-platform.ts';
import { requirePlatform } from '../platform-access/require-platform.ts';

export interface LinkInput {
  readonly folder: string;
  /** What to link to; `undefined` changes nothing, and `'none'` takes the link away. */
  readonly change: ProjectLink | 'none' | undefined;
}

export interface LinkedProject {
  readonly root: string;
  /** Name of the project. */
  readonly name: string;
  /** The platform that commands talk to, whatever names it. */
  readonly serverUrl: string;
  /** `null`: that of the token. */
  readonly environment: string | null;
  /** Whether a link says so, and not the configuration or a variable. */
  readonly isLinked: boolean;
}

/**
 * Say which platform and environment this copy of a project belongs to, after a change if there is one. A new address must be that of
 * a platform that answers: rejects with `PLATFORM_…` otherwise, and changes nothing.
 */
export async function linkProject(context: FlowContext, { folder, change }: LinkInput): Promise<LinkedProject> {
  const { fs, http, variables } = context;
  const { root } = await openProject(fs, folder, variables);
  if (change === 'none') await writeProjectLink(fs, root, {});
  else if (change) {
    if (change.serverUrl !== undefined) await requirePlatform(http, change.serverUrl, '--to');
    await writeProjectLink(fs, root, { ...(await readProjectLink(fs, root)), ...change });
  }
  const { config, env } = await openProject(fs, folder, variables);
  const link = await readProjectLink(fs, root);
  return {
    root,
    name: config.name,
    serverUrl: await platformUrlIn(context, folder),
    environment: env.get('SERVICE_ENV') ?? null,
    isLinked: Object.keys(link).length > 0,
  };
}
