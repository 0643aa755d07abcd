import type { SavedSchema } from '#contracts/saved-schema';
import { bundleOnce, openProject, type Project } from '#project/index';
import type { StartedWorker } from '../agent-worker/started-worker.ts';
import type { WorkerLoad } from '../agent-worker/worker-protocol.ts';
import type { FlowContext } from '../flow-context.ts';
import type { UsedPlatform } from '../local-platform/used-platform.ts';
import { AgentController } from './agent-controller.ts';
import { agentWorkerData } from './agent-worker-data.ts';
import { prepareWorker } from './prepare-worker.ts';

/** A project whose code has loaded once, in a worker that neither listens nor answers. */
export interface LoadedProject {
  readonly project: Project;
  readonly load: WorkerLoad;
  readonly agent: AgentController;
}

/** What an agent knows of its platform. */
export type KnownPlatform = Pick<UsedPlatform, 'url' | 'envSecret' | 'identity'>;

const anyPort = { port: 0, isExact: false };

/** The identity of an agent that answers no request. */
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
function nobody(context: FlowContext): KnownPlatform {
  return { url: 'http://127.0.0.1:0', envSecret: context.random.hex(32), identity: nobodyIdentity };
}

export interface LoadOnceOptions {
  /** Default: nobody. */
  readonly platformOf?: (project: Project) => Promise<KnownPlatform>;
  /** What its step is called. */
  readonly title?: string | undefined;
}

/** Build and load the code of a project on its databases as they are now, do `work`, and close everything again. */
export async function loadOnce<Result>(
  context: FlowContext,
  folder: string,
  work: (loaded: LoadedProject) => Promise<Result>,
  { platformOf = async () => nobody(context), title }: LoadOnceOptions = {},
): Promise<Result> {
  const project = await openProject(context.fs, folder, context.variables);
  const worker = prepareWorker(context, project, { isServing: false });
  try {
    const platform = await platformOf(project);
    const { bundle } = await bundleOnce(context, project);
    return await loadCode(context, project, bundle.code, work, { platform, title, worker });
  } finally {
    await worker.end();
  }
}

export interface LoadCodeOptions {
  /** Default: nobody. */
  readonly platform?: KnownPlatform;
  /** What the databases look like, where none is to be asked. */
  readonly savedSchema?: SavedSchema | undefined;
  /** What its step is called. */
  readonly title?: string | undefined;
  /** One that was started for this. */
  readonly worker?: StartedWorker | undefined;
}

/** Load built code of a project in a worker, do `work`, and end the worker. */
export async function loadCode<Result>(
  context: FlowContext,
  project: Project,
  code: string,
  work: (loaded: LoadedProject) => Promise<Result>,
  { platform = nobody(context), savedSchema, title = titleOf(savedSchema), worker }: LoadCodeOptions = {},
): Promise<Result> {
  // Addresses of databases that are not asked need no variables.
  const { dataSources } = savedSchema ? project.config : project;
  const agent = new AgentController({
    fs: context.fs,
    url: context.agentWorkerUrl,
    started: worker,
    openReverseProxy: context.openReverseProxy,
    clock: context.clock,
    data: {
      ...agentWorkerData(context, { root: project.root, dataSources }, platform, { agent: anyPort, mcp: anyPort }),
      isServing: false,
      savedSchema,
    },
    onLost: () => undefined, // The load that is under way rejects with the same error.
    onCatalogueChanged: () => undefined,
    onRequestFailed: () => undefined, // It answers no request.
    onOutput: (text) => context.reporter.info(text.trimEnd()),
  });
  const forget = context.onInterrupt(() => agent.stop(0));
  try {
    const load = await context.reporter.step(title, () => agent.load(code));
    return await work({ project, load, agent });
  } finally {
    forget();
    await agent.stop(0);
  }
}

function titleOf(savedSchema: SavedSchema | undefined): string {
  return savedSchema ? 'Loading the customizations' : 'Reading the databases and the customizations';
}
