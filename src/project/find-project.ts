import path from 'node:path';
import { projectConfigFile } from '#contracts/project-config';
import { CloudError } from '#kernel/errors/cloud-error';
import type { FileSystem } from '#kernel/ports/file-system';

/** The project that `folder` is in: the nearest folder, going up, that holds a `vendor-cloud.json`. */
export async function findProjectRoot(fs: FileSystem, folder: string): Promise<string> {
  for (let candidate = path.resolve(folder); ; candidate = path.dirname(candidate)) {
    if (await fs.exists(path.join(candidate, projectConfigFile))) return candidate;
    if (candidate === path.dirname(candidate)) break;
  }
  throw new CloudError({
    code: 'PROJECT_NOT_FOUND',
    message: `There is no ${projectConfigFile} in ${folder} or above it.`,
    nextSteps: [
      'Change into the project, or name it with --project.',
      'Or create one: vendor-cloud bootstrap my-project',
    ],
  });
}
