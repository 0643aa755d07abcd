import { writeGenerated } from '#project/index';
import type { WorkerLoad } from '../agent-worker/worker-protocol.ts';
import type { FlowContext } from '../flow-context.ts';
import { type LoadedProject, loadOnce } from '../project-agent/load-once.ts';
import { compareOutlines, type SchemaChange } from './compare-outlines.ts';
import { outlineOfTypings } from './outline-of-typings.ts';

/** How the types on disk differ from what the databases and the code make of them now. */
export interface TypingsComparison {
  /** Absolute path of the file. */
  readonly path: string;
  readonly isCurrent: boolean;
  readonly changes: readonly SchemaChange[];
}

/** Compare the types of a project with its databases and its code, and write nothing. */
export function checkTypings(context: FlowContext, folder: string): Promise<TypingsComparison> {
  return loadOnce(context, folder, async ({ project: { typingsPath }, agent }) => {
    const current = await agent.typings();
    const written = ((await context.fs.readText(typingsPath)) ?? '').replaceAll('\r\n', '\n');
    const changes = compareOutlines(outlineOfTypings(written), outlineOfTypings(current));
    return { path: typingsPath, isCurrent: written === current, changes };
  });
}

export interface UpdateTypingsResult {
  /** Absolute path of the file. */
  readonly path: string;
  readonly hasChanged: boolean;
  readonly collections: number;
  /** The parts of the databases that are left out, and why. */
  readonly warnings: readonly string[];
}

/** Write the types of a project from its databases and its customization code, as they are now. Serves nothing. */
export async function updateTypings(context: FlowContext, folder: string): Promise<UpdateTypingsResult> {
  const { suggestedSettings, ...result } = await writeTypings(context, folder);
  for (const warning of result.warnings) context.reporter.warn(warning);
  return result;
}

/**
 * The same without messages to the user, and with the settings that the columns of the databases suggest.
 *
 * @param title of its step, where it is not the first one that reads the databases.
 */
export function writeTypings(
  context: FlowContext,
  folder: string,
  title?: string,
): Promise<UpdateTypingsResult & Pick<WorkerLoad, 'suggestedSettings'>> {
  const write = async ({ project, agent, load: { collections, ...load } }: LoadedProject) => {
    const hasChanged = await writeGenerated(context.fs, project.root, project.typingsPath, await agent.typings());
    return { path: project.typingsPath, hasChanged, collections: collections.length, ...load };
  };
  return loadOnce(context, folder, write, { title });
}
