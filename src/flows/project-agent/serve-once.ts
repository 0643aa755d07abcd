import path from 'node:path';
import { type CloudError, cloudError, toCloudError } from '#kernel/errors/cloud-error';
import type { WantedPort } from '#kernel/ports/tcp';
import { bundleOnce, openProject, type Project } from '#project/index';
import type { WorkerListening, WorkerLoad } from '../agent-worker/worker-protocol.ts';
import type { FlowContext } from '../flow-context.ts';
import { type Cleanups, createCleanups } from '../lifetime.ts';
import { PermissionController } from '../local-platform/permission-controller.ts';
import { refuseProductionKey } from '../local-platform/refuse-production-key.ts';
import { readServedPerson } from '../local-platform/served-person.ts';
import { type Developer, type LocalPlatform, startLocalPlatform } from '../local-platform/start-local-platform.ts';
import { AgentController } from './agent-controller.ts';
import { agentWorkerData } from './agent-worker-data.ts';

export interface ServeOnceInput {
  readonly folder: string;
  readonly developer: Developer;
  /** Serve this person under the rights of `permissions.json`: an e-mail address, or `role:<name>`. */
  readonly as?: string | undefined;
  /** Port of the MCP server. Default: any free one. */
  readonly mcpPort?: WantedPort;
  /** The command was interrupted. */
  readonly signal: AbortSignal;
}

/** A platform and an agent that serve one piece of work. */
export interface ServedOnce {
  readonly project: Project;
  readonly platform: LocalPlatform;
  readonly load: WorkerLoad;
  readonly servers: WorkerListening;
  readonly agent: AgentController;
}

const anyPort = { port: 0, isExact: false };

/**
 * Serve a project on free ports, do `work`, and stop everything again. The platform begins without any state and leaves none, so
 * that this may run beside `dev` and beside itself.
 */
export async function serveOnce<Result>(
  context: FlowContext,
  input: ServeOnceInput,
  work: (served: ServedOnce) => Promise<Result>,
): Promise<Result> {
  const cleanups = createCleanups();
  const forget = context.onInterrupt(() => cleanups.runAll());
  try {
    const served = await start(context, input, cleanups);
    if (input.signal.aborted) throw interrupted();
    return await work(served);
  } finally {
    forget();
    await cleanups.runAll();
  }
}

async function start(context: FlowContext, input: ServeOnceInput, cleanups: Cleanups): Promise<ServedOnce> {
  const { reporter, fs } = context;
  const project = await openProject(fs, input.folder, context.variables);
  await refuseProductionKey(context, project);
  const servedAs = await readServedPerson(context, project, input.as);
  const stateFolder = await makeStateFolder(context, project);
  cleanups.add(() => fs.remove(stateFolder));
  const platform = await reporter.step('Starting the local platform', () =>
    startLocalPlatform(context, project, { stateFolder, port: anyPort, developer: input.developer, servedAs }),
  );
  cleanups.add(() => platform.stop());
  const agent = new AgentController({
    fs,
    url: context.agentWorkerUrl,
    openReverseProxy: context.openReverseProxy,
    clock: context.clock,
    data: {
      ...agentWorkerData(context, project, platform, { agent: anyPort, mcp: input.mcpPort ?? anyPort }),
      stateFolder,
      activityRequired: project.config.activityRequired,
      rest: project.config.rest ?? {},
      isUnrestricted: servedAs === undefined,
    },
    onLost: (error) => reporter.problem(error),
    onCatalogueChanged: () => undefined, // What is served once keeps the tables that it began with.
    onRequestFailed: (error) => reporter.problem(error),
    onOutput: (text) => reporter.info(text.trimEnd()),
  });
  cleanups.add(() => agent.stop(0));
  const { bundle } = await bundleOnce(context, project);
  const load = await reporter.step('Loading the customizations', () => agent.load(bundle.code));
  await applyPermissions(context, project, platform, agent);
  return { project, platform, load, servers: await agent.listen(), agent };
}

/** Rights that cannot be applied matter to the person who is served under them; the developer may do everything. */
async function applyPermissions(
  context: FlowContext,
  project: Project,
  platform: LocalPlatform,
  agent: AgentController,
): Promise<void> {
  const permissions = new PermissionController(context, project, platform);
  if (!(await permissions.isUsed())) return;
  await permissions
    .apply((known) => agent.schema(known))
    .catch((error: unknown) => {
      if (platform.servedAs) throw error;
      context.reporter.problem(toCloudError(error));
    });
}

const stateFolderName = /^once-(\d+)-(\d+)-\w+$/;

/** A folder only for this run, inside the project. What killed runs have left there is removed. */
async function makeStateFolder(
  { fs, clock, pid, random, isProcessAlive }: FlowContext,
  { root }: Project,
): Promise<string> {
  const parent = path.join(root, '.vendor-cloud');
  for (const name of await fs.list(parent)) {
    const [, ownerPid, startedAt] = stateFolderName.exec(name) ?? [];
    if (ownerPid === undefined || (await isProcessAlive(Number(ownerPid), Number(startedAt)))) continue;
    await fs.remove(path.join(parent, name));
  }
  await fs.makePrivateFolder(parent);
  const folder = path.join(parent, `once-${pid}-${clock.now()}-${random.hex(4)}`);
  await fs.makePrivateFolder(folder);
  return folder;
}

function interrupted(): CloudError {
  return cloudError('INTERRUPTED', 'The command was interrupted.', 'Run it again.');
}
