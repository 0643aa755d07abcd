import { compareOutlines, type SchemaChange } from '#contracts/compare-outlines';
import { writeGenerated } from '#project/index';
import type { WorkerLoad } from '../agent-worker/worker-protocol.ts';
import type { FlowContext } from '../flow-context.ts';
import { rolePrefix } from '../local-platform/served-person.ts';
import { type LoadedProject, loadOnce } from '../project-agent/load-once.ts';
import type { ServedOnce, ServeOnceInput } from '../project-agent/serve-once.ts';
import { outlineOfTypings } from './outline-of-typings.ts';

/** How the types on disk differ from what the databases and the code make of them now. */
export interface TypingsComparison {
  /** Absolute path of the file. */
  readonly path: string;
  readonly isCurrent: boolean;
  /** Whose types they are; absent for those of the project. */
  readonly role?: string;
  readonly changes: readonly SchemaChange[];
}

/** Compare the types of a project with its databases and its code, and write nothing. */
export function checkTypings(context: FlowContext, folder: string): Promise<TypingsComparison> {
  return loadOnce(context, folder, async ({ project: { typingsPath }, agent }) => {
    return compared(context, typingsPath, await agent.typings());
  });
}

async function compared({ fs }: FlowContext, file: string, current: string): Promise<TypingsComparison> {
  const written = ((await fs.readText(file)) ?? '').replaceAll('\r\n', '\n');
  const changes = compareOutlines(outlineOfTypings(written), outlineOfTypings(current));
  return { path: file, isCurrent: written === current, changes };
}

/** Whose types they are: those of a role, as `permissions.json` has it. */
interface TypingsOfRoleInput extends Omit<ServeOnceInput, 'as' | 'mcpPort'> {
  readonly role: string;
}

/** Compare the types of what a role sees with the file that has them, and write nothing. */
export function checkTypingsOfRole(context: FlowContext, input: TypingsOfRoleInput): Promise<TypingsComparison> {
  const { role } = input;
  return withTypingsOfRole(context, input, async (file, current) => ({
    ...(await compared(context, file, current)),
    role,
  }));
}

/** Write the types of what a role sees, beside those of the project. The rights are those of `permissions.json`. */
export function updateTypingsOfRole(context: FlowContext, input: TypingsOfRoleInput): Promise<UpdateTypingsResult> {
  return withTypingsOfRole(context, input, async (file, current, { project, load }) => {
    const hasChanged = await writeGenerated(context.fs, project.root, file, current);
    return { path: file, hasChanged, collections: outlineOfTypings(current).length, warnings: load.warnings };
  });
}

/** On a platform of its own, which has only the rights of the file and somebody of the role. */
async function withTypingsOfRole<Result>(
  context: FlowContext,
  { role, ...input }: TypingsOfRoleInput,
  work: (file: string, current: string, served: ServedOnce) => Promise<Result>,
): Promise<Result> {
  const { serveOnce } = await import('../project-agent/serve-once.ts');
  return serveOnce(context, { ...input, as: `${rolePrefix}${role}` }, async (served) => {
    const { project, platform, agent } = served;
    const current = await agent.ask('typingsFor', { user: platform.identity.email });
    return work(fileOfRole(project.typingsPath, role), current, served);
  });
}

/** `typings.support-desk.d.ts` for the role "Support desk". */
function fileOfRole(typingsPath: string, role: string): string {
  const word = role.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-');
  return `${typingsPath.replace(/(?:\.d)?\.[cm]?ts$/, '')}.${word}.d.ts`;
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
