import { createBundler, openProject } from '#project/index';
import { AgentController } from '../dev/agent-controller.ts';
import { agentWorkerData } from '../dev/agent-worker-data.ts';
import type { FlowContext } from '../flow-context.ts';
import { writeWhenChanged } from './write-when-changed.ts';

export interface UpdateTypingsResult {
  /** Absolute path of the file. */
  readonly path: string;
  readonly hasChanged: boolean;
  readonly collections: number;
  /** What of the databases is left out, and why. */
  readonly warnings: readonly string[];
}

const anyPort = { port: 0, isExact: false };

/** Types are made without a platform and for nobody: the worker neither listens nor answers. */
function nobody(context: FlowContext) {
  const identity = {
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
  return { url: 'http://127.0.0.1:0', envSecret: context.random.hex(32), identity };
}

/** Write the types of a project from its databases and its customization code, as they are now. Serves nothing. */
export async function updateTypings(context: FlowContext, folder: string): Promise<UpdateTypingsResult> {
  const project = await openProject(context.fs, folder, context.variables);
  const bundler = await createBundler(context.fs, project);
  const data = agentWorkerData(context, project, nobody(context), { agent: anyPort, mcp: anyPort });
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
  try {
    const { code } = await bundler.build();
    const load = await context.reporter.step('Reading the databases and the customizations', () => agent.load(code));
    const hasChanged = await writeWhenChanged(context.fs, project.typingsPath, load.typings);
    for (const warning of load.warnings) context.reporter.warn(warning);
    return { path: project.typingsPath, hasChanged, collections: load.collections.length, warnings: load.warnings };
  } finally {
    await Promise.all([agent.stop(0), bundler.dispose()]);
  }
}
