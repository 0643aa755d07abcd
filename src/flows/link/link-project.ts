import type { ProjectLink } from '#contracts/project-link';
import { CloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { Http } from '#kernel/ports/http';
import { platformHealth } from '#platform/platform-health';
import { openProject, readProjectLink, writeProjectLink } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { platformUrlIn } from '../platform-access/connect-to-platform.ts';

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
    if (change.serverUrl !== undefined) await findPlatform(http, change.serverUrl);
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

/** What other commands say of an address that nobody answers at is about settings. Here it is the one after `--to`. */
async function findPlatform(http: Http, serverUrl: string): Promise<void> {
  try {
    await platformHealth(http, serverUrl);
  } catch (error) {
    if (!isCloudError(error)) throw error;
    const { code, message, safeDetails } = error;
    const isElsewhere =
      code === 'PLATFORM_FAILED' || ['ECONNREFUSED', 'ENOTFOUND'].includes(String(safeDetails['errno']));
    if (!isElsewhere) throw error;
    throw new CloudError({
      code: code === 'PLATFORM_FAILED' ? code : 'PLATFORM_UNREACHABLE',
      message,
      nextSteps: ['Check the address after --to, and that the platform runs there.'],
      safeDetails,
      cause: error,
    });
  }
}
