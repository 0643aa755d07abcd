import path from 'node:path';
import { projectConfigFile } from '#contracts/project-config';
import { cloudError } from '#kernel/errors/cloud-error';
import type { FileSystem } from '#kernel/ports/file-system';

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
