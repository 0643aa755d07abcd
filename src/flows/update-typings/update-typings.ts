import { writeWhenChanged } from '#kernel/files/write-when-changed';
import { loadOnce } from '../dev/load-once.ts';
import type { FlowContext } from '../flow-context.ts';

export interface UpdateTypingsResult {
  /** Absolute path of the file. */
  readonly path: string;
  readonly hasChanged: boolean;
  readonly collections: number;
  /** What of the databases is left out, and why. */
  readonly warnings: readonly string[];
}

/** Write the types of a project from its databases and its customization code, as they are now. Serves nothing. */
export function updateTypings(context: FlowContext, folder: string): Promise<UpdateTypingsResult> {
  return loadOnce(context, folder, async ({ project, agent, load: { collections, warnings } }) => {
    const hasChanged = await writeWhenChanged(context.fs, project.typingsPath, await agent.typings());
    for (const warning of warnings) context.reporter.warn(warning);
    return { path: project.typingsPath, hasChanged, collections: collections.length, warnings };
  });
}
