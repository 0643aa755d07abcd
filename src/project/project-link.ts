import path from 'node:path';
import { type ProjectLink, projectLinkFile, projectLinkSchema } from '#contracts/project-link';
import { cloudError } from '#kernel/errors/cloud-error';
import type { FileSystem } from '#kernel/ports/file-system';
import { readJson } from './json-file.ts';

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
