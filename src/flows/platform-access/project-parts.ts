import type { DevSession } from '#contracts/dev-session';
import type { ProjectConfig } from '#contracts/project-config';
import { type CloudError, isCloudError } from '#kernel/errors/cloud-error';
import { type Env, layeredEnv } from '#kernel/ports/env';
import { findProjectRoot, linkVariables, readConfig, readEnvFile, readProjectLink } from '#project/index';
import { readDevSession } from '../dev-session/dev-session-lock.ts';
import type { FlowContext } from '../flow-context.ts';

/** What can be read of a project, part by part: a broken part leaves the others. */
export interface ProjectParts {
  /** `undefined` outside a project. */
  readonly root: string | undefined;
  readonly config: ProjectConfig | undefined;
  /** The variables of the `.env` file. */
  readonly envFile: Readonly<Record<string, string>>;
  /** What the link of the folder says, as the variables that it stands for. */
  readonly link: Readonly<Record<string, string | undefined>>;
  /** Variables of the process, then those of the `.env` file, then the link. */
  readonly env: Env;
  readonly session: DevSession['servers'] | undefined;
  /** Why the other parts could not be read. */
  readonly problems: readonly CloudError[];
}

/** Read the project that a folder is in, if there is one. */
export async function readProjectParts(context: FlowContext, folder: string): Promise<ProjectParts> {
  const { fs, variables } = context;
  const problems: CloudError[] = [];
  const attempt = async <Part>(read: () => Promise<Part>): Promise<Part | undefined> => {
    try {
      return await read();
    } catch (error) {
      if (!isCloudError(error)) throw error;
      problems.push(error);
      return undefined;
    }
  };
  const root = await attempt(() => findProjectRoot(fs, folder));
  if (root === undefined) {
    const others = problems.filter(({ code }) => code !== 'PROJECT_NOT_FOUND');
    const env = layeredEnv(variables);
    return { root, config: undefined, envFile: {}, link: {}, env, session: undefined, problems: others };
  }
  const envFile = (await attempt(() => readEnvFile(fs, root))) ?? {};
  const link = linkVariables((await attempt(() => readProjectLink(fs, root))) ?? {});
  return {
    root,
    config: await attempt(() => readConfig(fs, root)),
    envFile,
    link,
    env: layeredEnv(variables, envFile, link),
    session: (await readDevSession(context, root))?.servers,
    problems,
  };
}
