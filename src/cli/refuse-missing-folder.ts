import path from 'node:path';
import { cloudError } from '#kernel/errors/cloud-error';
import { nodeFileSystem } from '#node/files/node-file-system';

/**
 * Refuses a folder of a project that is not there, before anything is looked for in it or above it.
 *
 * @param folder as `--project` names it.
 * @throws `USAGE_INVALID`
 */
export async function refuseMissingFolder(folder: string, workingFolder: string): Promise<void> {
  const place = path.resolve(workingFolder, folder);
  if (await nodeFileSystem.isFolder(place)) return;
  const isThere = await nodeFileSystem.exists(place);
  throw cloudError(
    'USAGE_INVALID',
    isThere ? `${place} is no folder.` : `The folder ${place} does not exist.`,
    'Name the folder of a project with --project or SERVICE_PROJECT, or leave both out inside a project.',
  );
}
