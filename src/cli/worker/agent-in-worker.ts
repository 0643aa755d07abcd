import type { MessagePort } from 'node:worker_threads';
import { catalogueFile } from '#flows/agent-worker/catalogue-file';
import { runAgentWorker } from '#flows/agent-worker/run-agent-worker';
import type { AgentWorkerData, WorkerStart } from '#flows/agent-worker/worker-protocol';
import { replaceVariables } from '#node/environment/process-environment';
import { nodeFileSystem } from '#node/files/node-file-system';
import { createHttp } from '#node/http/http-client';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { systemTimers } from '#node/system/system-timers';
import { collectYoungAtRest } from '#node/system/thread-memory';
import { connectAgent } from '#platform-client/connect-agent';
import {
  type AgentRuntime,
  createAgentRuntime,
  createSavedDataSource,
  createUriDataSource,
  type LogFunction,
  loadRest,
  loadSavedDataSource,
  loadUriDataSource,
  selectNamed,
} from '#runtime/index';

function cacheOf({ stateFolder }: AgentWorkerData, name: string) {
  return stateFolder === null ? {} : { catalogueCache: catalogueFile(stateFolder, name) };
}

function openDataSources(data: AgentWorkerData, dataSources: AgentWorkerData['dataSources']) {
  const startupTimeoutMs = data.waitsForDatabases ? undefined : 0;
  return Object.fromEntries(
    Object.entries(dataSources).map(([name, { uri, replicas, softDelete, timestamps, instants, ...selection }]) => {
      const saved = data.savedSchema?.dataSources[name];
      const kept = { softDelete, timestamps, instants };
      const make = () =>
        saved
          ? createSavedDataSource(saved, kept)
          : createUriDataSource(uri, { ...cacheOf(data, name), ...kept, startupTimeoutMs, replicas });
      return [name, selectNamed(name, make, selection)];
    }),
  );
}

/** Load the code of the databases and of the servers: it takes a while, and is not the customer's. */
export async function loadOwnCode({
  dataSources,
  savedSchema,
  isServing,
}: Omit<WorkerStart, 'compileCache'>): Promise<void> {
  const loads = Object.entries(dataSources).map(([name, { uri }]) => {
    const saved = savedSchema?.dataSources[name];
    return saved ? loadSavedDataSource(saved) : loadUriDataSource(uri);
  });
  // A URI that nobody can read is refused when its database is opened, by the call that names it.
  await Promise.allSettled([...loads, isServing && loadRest()]);
}

function createRuntime(data: AgentWorkerData, log: LogFunction): AgentRuntime {
  const ports = {
    fs: nodeFileSystem,
    clock: systemClock,
    random: systemRandom,
    serverUrl: data.platformUrl,
    port: undefined,
    mcpServerUrl: data.mcpServerUrl,
    mcpEnabledTools: undefined,
    mcpReadOnly: undefined,
    log,
    workingFolder: data.projectRoot,
    version: data.version,
    connectPlatform: (serverUrl: string, envSecret: string) => {
      const http = createHttp({ clock: systemClock, random: systemRandom });
      const platform = connectAgent(serverUrl, envSecret, http, systemRandom);
      return data.isUnrestricted ? { ...platform, environmentPermissions: async () => true as const } : platform;
    },
  };
  const { authSecret, envSecret, stateFolder, activityRequired, durableWrites, rest, identity, mayDatabasesBeAway } =
    data;
  const { bindAddress, agentPort, mcpPort, mcpTools, mcpReadOnly } = data;
  return createAgentRuntime(ports, {
    dataSources: openDataSources(data, data.dataSources),
    authSecret,
    envSecret,
    stateFolder,
    activityRequired,
    durableWrites,
    rest,
    identity,
    mayDatabasesBeAway,
    host: bindAddress,
    agentPort,
    mcpPort,
    mcpTools,
    mcpSafety: { isReadOnly: mcpReadOnly },
    isSelfTested: data.savedSchema === undefined,
    loggerLevel: data.logLevel,
    // One that serves nobody has counted nothing.
    peers: data.isServing ? data.peers : undefined,
  });
}

/** Build the agent's world in a worker thread, as `invocation/cli-context.ts` builds that of the commands, and serve it. */
export function serveAgent(port: MessagePort, data: AgentWorkerData): void {
  runAgentWorker(port, data, {
    createRuntime: (log) => createRuntime(data, log),
    openDataSources: (dataSources) => openDataSources(data, dataSources),
    replaceVariables,
    onWorked: collectYoungAtRest(systemTimers),
  });
}
