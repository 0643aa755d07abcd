import type { ProjectConfig } from '#contracts/project-config';
import { type Env, layeredEnv } from '#kernel/ports/env';
import type { FileSystem } from '#kernel/ports/file-system';
import { readEnvFile } from './env-file.ts';
import { findProjectRoot } from './find-project.ts';
import { linkVariables, readProjectLink } from './project-link.ts';
import { readConfig } from './read-config.ts';

/** What the files of a project say, whether its variables are set or not. */
export interface ProjectFiles {
  readonly root: string;
  readonly config: ProjectConfig;
  /** The environment of the process first, then the project's `.env`, then its link. */
  readonly env: Env;
}

/** Find the project that `folder` is in, and read its files. */
export async function readProjectFiles(
  fs: FileSystem,
  folder: string,
  processVariables: Readonly<Record<string, string | undefined>>,
): Promise<ProjectFiles> {
  const root = await findProjectRoot(fs, folder);
  const config = await readConfig(fs, root);
  const env = layeredEnv(processVariables, await readEnvFile(fs, root), linkVariables(await readProjectLink(fs, root)));
  return { root, config, env };
}
