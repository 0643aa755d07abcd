import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { dashboardFolder, type ProjectConfig, projectConfigFile } from '#contracts/project-config';
import type { RestSettings } from '#contracts/rest-settings';
import { type CloudError, isCloudError, toCloudError } from '#kernel/errors/cloud-error';
import type { LogLevel } from '#kernel/ports/logger';
import { createPlatformClient } from '#platform-client/platform-client';
import {
  type Bundle,
  type Bundler,
  createBundler,
  findLiteralPasswords,
  type LiteralPassword,
  openProject,
  type Project,
  writeGenerated,
} from '#project/index';
import { publishSchema } from '../agent-worker/publish-schema.ts';
import type { StartedWorker } from '../agent-worker/started-worker.ts';
import type { AgentLogLine, WorkerLoad } from '../agent-worker/worker-protocol.ts';
import type { FlowContext } from '../flow-context.ts';
import { type Cleanups, untilAborted } from '../lifetime.ts';
import { type AppliedFile, type AskForSchema, PermissionController } from '../local-platform/permission-controller.ts';
import type { UsedPlatform } from '../local-platform/used-platform.ts';
import { AgentController } from '../project-agent/agent-controller.ts';
import { agentWorkerData } from '../project-agent/agent-worker-data.ts';
import type { DevEvent } from './dev-event.ts';
import type { DevInput } from './dev-input.ts';
import { DevLoop } from './dev-loop.ts';
import { TypeChecker } from './type-checker.ts';
import { watchProject } from './watch-project.ts';

export interface RunningLoop {
  readonly loop: DevLoop;
  readonly agent: AgentController;
  readonly load: WorkerLoad;
  /** What the agent signs its session tokens with. */
  readonly authSecret: string;
  /** Where the files of the project hold a password. */
  readonly passwords: readonly LiteralPassword[];
  /** What is wrong with the rights of the project. */
  readonly permissionProblem: CloudError | undefined;
}

export interface LoopInput extends DevInput {
  /** Tells of code that is broken at the start, which somebody must fix before there is anything else to report. */
  tellBroken(event: DevEvent): void;
  /** Takes every line of the log of the agent from level `Info` on, whether or not the terminal shows it. */
  noteLog(line: AgentLogLine): void;
  /** The first worker of the agent. */
  readonly worker: StartedWorker;
}

/** Make the controllers of the dev loop, connect them, and load the customizations the first time. */
export async function startLoop(
  context: FlowContext,
  input: LoopInput,
  project: Project,
  platform: UsedPlatform,
  cleanups: Cleanups,
): Promise<RunningLoop> {
  const { bundler, passwords } = notingPasswords(await createBundler(context, project), context, project);
  cleanups.add(() => bundler.dispose());
  const data = agentWorkerData(context, project, platform, input.ports);
  const agent = new AgentController({
    fs: context.fs,
    url: context.agentWorkerUrl,
    started: input.worker,
    openReverseProxy: context.openReverseProxy,
    clock: context.clock,
    isDebugged: input.isDebugged,
    data: {
      ...data,
      stateFolder: path.join(project.root, '.vendor-cloud'),
      activityRequired: project.config.activityRequired,
      rest: restOf(project.config),
      isUnrestricted: platform.isLocal && platform.servedAs === undefined,
      waitsForDatabases: true,
      mayDatabasesBeAway: true,
      followsTables: true,
      logLevel: input.logs?.level === 'Debug' ? 'Debug' : 'Info',
    },
    onLost: (...loss) => loop.agentLost(...loss),
    onCatalogueChanged: () => loop.catalogueChanged(),
    ...wordsOfAgent(input),
  });
  cleanups.add(() => agent.stop(input.drainMs));
  const permissions = new PermissionController(context, project, platform);
  const applyPermissions = permissionApplier(context, permissions, platform, agent, cleanups);
  const configFiles = [projectConfigFile, '.env'].map((name) => path.join(project.root, name));
  const watched = await watchProject(context, {
    root: project.root,
    paths: [path.dirname(project.entry), ...configFiles, permissions.file, path.join(project.root, dashboardFolder)],
    onStir: () => loop.filesStirring(),
    onChange: (paths, isAsAtStir) => loop.filesChanged(paths, isAsAtStir),
    tell: input.tell,
  });
  cleanups.add(() => watched.watcher.close());
  const types = createTypeChecker(context, input, project);
  cleanups.add(() => types.stop());
  const loop = new DevLoop({
    clock: context.clock,
    bundler,
    agent,
    configFiles: new Set(configFiles),
    permissionFile: permissions.file,
    applyPermissions,
    reopenProject: () => reopenProject(context, project, platform, agent),
    types: input.shouldCheckTypes === false ? noChecks : types,
    watchInputs: (inputs) => watched.watcher.add(inputs),
    async writeTypings() {
      const isWritten = await writeGenerated(context.fs, project.root, project.typingsPath, await agent.typings());
      if (isWritten) input.tell({ event: 'typings', path: project.typingsPath });
    },
    tell: input.tell,
  });
  cleanups.add(async () => loop.stop());
  const nextChange = () => Promise.race([untilAborted(input.signal), watched.nextChange()]);
  const load = await context.reporter.step('Loading the customizations', () => begin(loop, input, nextChange));
  const permissionProblem = await applyPermissions().then(
    () => undefined,
    (error: unknown) => toCloudError(error),
  );
  // Nobody is served under rights that are not there; the developer is not restricted by them.
  if (permissionProblem && platform.servedAs) throw permissionProblem;
  return { loop, agent, load, authSecret: data.authSecret, permissionProblem, passwords: await passwords() };
}

/** Serve by the settings that the project has now. */
async function reopenProject(
  { fs, variables }: FlowContext,
  { root }: Project,
  platform: UsedPlatform,
  agent: AgentController,
) {
  const { dataSources, config } = await openProject(fs, root, variables);
  platform.allowWebhooks?.(config.rest?.webhookOrigins ?? []);
  return agent.replace({ dataSources, activityRequired: config.activityRequired, rest: restOf(config) });
}

/** The same bundler, and the passwords in the files of what it built last. */
function notingPasswords(bundler: Bundler, { fs }: FlowContext, { root, config }: Project) {
  const built: { bundle?: Bundle } = {};
  return {
    bundler: {
      ...bundler,
      build: async () => {
        built.bundle = await bundler.build();
        return built.bundle;
      },
    },
    passwords: async () =>
      built.bundle ? findLiteralPasswords(fs, { root, dataSources: config.dataSources }, built.bundle) : [],
  };
}

/** Brings the local platform in line with the rights of the project. Without rights, and to another platform, it sends only the collections. */
function permissionApplier(
  context: FlowContext,
  permissions: PermissionController,
  platform: UsedPlatform,
  agent: AgentController,
  cleanups: Cleanups,
): () => Promise<AppliedFile | undefined> {
  const askForSchema = (known: string | null) => agent.schema(known);
  const publish = createSchemaPublisher(context, platform);
  const publishNow = () => publish(askForSchema);
  const publishAtRest = platform.isLocal ? atRest(publishNow, cleanups) : publishNow;
  return async () => {
    // Those who share another platform do not want its rights changed by a save here.
    if (platform.isLocal && (await permissions.isUsed())) return permissions.apply(askForSchema);
    await publishAtRest();
    return undefined;
  };
}

/** Only the pages of rights read the schema of a local platform. So it is worked out when nobody has saved for a moment. */
const restMs = 1_000;

/** Do the work at once the first time, and later at rest: whatever is asked for sooner takes the place of what waits. */
function atRest(work: () => Promise<void>, cleanups: Cleanups): () => Promise<void> {
  let waiting: AbortController | undefined;
  cleanups.add(async () => waiting?.abort());
  return async () => {
    waiting?.abort();
    const isFirst = waiting === undefined;
    waiting = new AbortController();
    const { signal } = waiting;
    if (!isFirst) await delay(restMs, undefined, { signal, ref: false }).catch(() => undefined); // Another one waits now.
    if (!signal.aborted) await work();
  };
}

/** From the least important one on. */
const levels: readonly LogLevel[] = ['Debug', 'Info', 'Warn', 'Error'];

/** Tell what the agent, its code and its requests say. */
function wordsOfAgent({ logs, tell, noteLog }: LoopInput) {
  return {
    onRequestFailed: (error: CloudError) => tell({ event: 'request-failed', error }),
    onOutput: (text: string) => tell({ event: 'output', text }),
    onLog: (line: AgentLogLine) => {
      noteLog(line);
      const isWanted = logs !== undefined && levels.indexOf(line.level) >= levels.indexOf(logs.level);
      if (isWanted && logs.shouldTell(line)) tell({ event: 'log', ...line });
    },
  };
}

function createTypeChecker(context: FlowContext, { tell }: LoopInput, project: Project): TypeChecker {
  return new TypeChecker(context, project, {
    onErrors: (errors) => tell({ event: 'types', errors }),
    onFailure: (error) => tell({ event: 'error', error: toCloudError(error) }),
  });
}

/** In place of the checks of types where nobody wants them. */
const noChecks = { check: () => undefined, cancel: () => undefined };

/** The first load. Whoever sits at the terminal may fix broken code and save; a script gets the error, and the command ends. */
async function begin(loop: DevLoop, input: LoopInput, nextChange: () => Promise<void>) {
  for (;;) {
    // What somebody saves while the broken code is still tried is worth another try.
    const changed = nextChange();
    try {
      return await loop.begin();
    } catch (error) {
      const canMend = input.shouldWaitForFix && isCloudError(error) && isMendedBySaving(error);
      if (!canMend || input.signal.aborted) throw error;
      input.tellBroken({ event: 'error', error });
      await changed;
    }
  }
}

/** A variable that is missing may come with the next save of `.env`. */
function isMendedBySaving({ recover, code }: CloudError): boolean {
  return recover === 'edit-files' || code === 'PROJECT_VARIABLE_MISSING';
}

/** A developer learns about parameters that no route knows. */
function restOf({ rest }: ProjectConfig): RestSettings {
  return { unknownParameters: 'log', ...rest };
}

/** Tells a platform what the collections of the session look like, as every agent of an environment does, whenever that has changed. */
function createSchemaPublisher(
  { http }: FlowContext,
  { url, envSecret }: UsedPlatform,
): (askForSchema: AskForSchema) => Promise<void> {
  const client = createPlatformClient({ serverUrl: url, http, credentials: { envSecret } });
  let sentHash: string | null = null;
  return async (askForSchema) => {
    const changed = await askForSchema(sentHash);
    if (!changed) return;
    await publishSchema(client, changed);
    sentHash = changed.hash;
  };
}
