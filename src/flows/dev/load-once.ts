import type { Project } from '#project/index';
import { createBundler, openProject } from '#project/index';
import type { WorkerLoad } from '../agent-worker/worker-protocol.ts';
import type { FlowContext } from '../flow-context.ts';
import { AgentController } from './agent-controller.ts';
import { agentWorkerData } from './agent-worker-data.ts';
import type { LocalPlatform } from './start-platform.ts';

/** A project whose code has loaded once, in a worker that neither listens nor answers. */
export interface LoadedProject {
  readonly project: Project;
  readonly load: WorkerLoad;
  readonly agent: AgentController;
}

/** What an agent knows of its platform. */
export type PlatformOfAgent = Pick<LocalPlatform, 'url' | 'envSecret' | 'identity'>;

const anyPort = { port: 0, isExact: false };

/** For whom a request is made that nobody makes. */
export const nobodyIdentity = {
  id: 0,
  email: '',
  firstName: '',
  lastName: '',
  team: '',
  role: '',
  permissionLevel: 'user',
  renderingId: 0,
  tags: {},
} as const;

/** What is done for nobody needs no platform. */
function nobody(context: FlowContext): PlatformOfAgent {
  return { url: 'http://127.0.0.1:0', envSecret: context.random.hex(32), identity: nobodyIdentity };
}

/** Load the code of a project on its databases as they are now, do `work`, and close everything again. */
export async function loadOnce<Result>(
  context: FlowContext,
  folder: string,
  work: (loaded: LoadedProject) => Promise<Result>,
  platformOf: (project: Project) => Promise<PlatformOfAgent> = async () => nobody(context),
): Promise<Result> {
  const project = await openProject(context.fs, folder, context.variables);
  const platform = await platformOf(project);
  const bundler = await createBundler(context.fs, project);
  const data = agentWorkerData(context, project, platform, { agent: anyPort, mcp: anyPort });
  const agent = new AgentController({
    fs: context.fs,
    url: context.agentWorkerUrl,
    clock: context.clock,
    data,
    onLost: () => undefined, // The load that is under way rejects with the same error.
    onCatalogueChanged: () => undefined,
    onRequestFailed: () => undefined, // It answers no request.
    onOutput: (text) => context.reporter.info(text.trimEnd()),
  });
  const forget = context.onInterrupt(() => agent.stop(0));
  try {
    const { code } = await bundler.build();
    const load = await context.reporter.step('Reading the databases and the customizations', () => agent.load(code));
    return await work({ project, load, agent });
  } finally {
    forget();
    await Promise.all([agent.stop(0), bundler.dispose()]);
  }
}
