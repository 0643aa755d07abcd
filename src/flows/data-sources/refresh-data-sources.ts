import path from 'node:path';
import { readProjectFiles } from '#project/index';
import { catalogueFile } from '../agent-worker/catalogue-file.ts';
import type { FlowContext } from '../flow-context.ts';
import { type UpdateTypingsResult, updateTypings } from '../schema/update-typings.ts';

/**
 * Read the tables of the databases again, whatever is remembered of them, and write the types of the project. A session of `dev`
 * notices changes by itself.
 */
export async function refreshDataSources(context: FlowContext, folder: string): Promise<UpdateTypingsResult> {
  const { root, config } = await readProjectFiles(context.fs, folder, context.variables);
  for (const name of Object.keys(config.dataSources)) {
    await context.fs.remove(catalogueFile(path.join(root, '.vendor-cloud'), name));
  }
  return updateTypings(context, root);
}
