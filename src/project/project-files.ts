import path from 'node:path';
import {
  type ProjectConfig,
  type ProjectLink,
  projectConfigFile,
  projectLinkFile,
  projectLinkSchema,
} from '#contracts/project-config';
import { cloudError } from '#kernel/errors/cloud-error';
import { type Env, layeredEnv } from '#kernel/ports/env';
import type { FileSystem } from '#kernel/ports/file-system';
import { readEnvFile } from './env-file.ts';
import { readJson } from './json-file.ts';
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

/** What a copy of a project is linked to; empty where there is no link. Rejects with `PROJECT_CONFIG_INVALID`. */
export async function readProjectLink(fs: FileSystem, root: string): Promise<ProjectLink> {
  const file = path.join(root, projectLinkFile);
  const text = await fs.readText(file);
  if (text === null) return {};
  const reading = readJson(file, text);
  const link = projectLinkSchema.safeParse('value' in reading ? reading.value : undefined);
  if (link.success) return link.data;
  throw cloudError(
    'PROJECT_CONFIG_INVALID',
    `${projectLinkFile} is not what "vendor-cloud link" writes.`,
    'Remove it, then run "vendor-cloud link" again.',
    { location: { file, line: 1 } },
  );
}

/** Write the link; an empty one removes it. */
export async function writeProjectLink(fs: FileSystem, root: string, link: ProjectLink): Promise<void> {
  const file = path.join(root, projectLinkFile);
  if (Object.keys(link).length === 0) return fs.remove(file);
  await fs.makePrivateFolder(path.dirname(file));
  await fs.writeAtomically(file, `${JSON.stringify(link, null, 2)}\n`, { mode: 0o600 });
}

/** The link as the variables that it stands for. */
export function linkVariables({ serverUrl, environment }: ProjectLink): Readonly<Record<string, string | undefined>> {
  return { SERVICE_SERVER_URL: serverUrl, SERVICE_ENV: environment };
}

/** The project that `folder` is in: the nearest folder, going up, that holds a `vendor-cloud.json`. */
export async function findProjectRoot(fs: FileSystem, folder: string): Promise<string> {
  for (let candidate = path.resolve(folder); ; candidate = path.dirname(candidate)) {
    if (await fs.exists(path.join(candidate, projectConfigFile))) return candidate;
    if (candidate === path.dirname(candidate)) break;
  }
  throw cloudError('PROJECT_NOT_FOUND', `There is no ${projectConfigFile} in ${folder} or above it.`, [
    'Change into the project, or name it with --project.',
    'Or create one: vendor-cloud bootstrap my-project',
  ]);
}
