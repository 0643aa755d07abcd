import path from 'node:path';
import { durableWritesVariable, parseDurableWrites } from '#contracts/activity';
import { enabledToolsVariable, parseEnabledTools, parseReadOnly, readOnlyVariable } from '#contracts/mcp';
import type { WantedPort } from '#kernel/ports/tcp';
import { connectHost } from '#platform-client/host-client';
import type { FlowContext } from '../flow-context.ts';
import { createLocalLog, logEvents } from '../logs/write-local-log.ts';
import { EnvironmentHost } from './environment-host.ts';
import { createHostLog } from './host-log.ts';
import { hostIdentity, withoutSecrets } from './host-worker.ts';
import { ProgramStore } from './program-store.ts';
import type { ServeEvent } from './serve-event.ts';
import { ServingPool } from './serving-pool.ts';

export interface ServeInput {
  readonly serverUrl: string;
  /** Secret of the environment that is served. */
  readonly envSecret: string;
  /** What people know the machine by. */
  readonly name: string;
  /** Address to bind. */
  readonly bindAddress: string;
  readonly ports: { readonly agent: WantedPort; readonly mcp: WantedPort };
  /** Threads that serve on the same port. */
  readonly workers: number;
  /** Folder for what outlives the host: the deployment that it serves, and what waits for the platform. */
  readonly stateFolder: string;
  /** Milliseconds that requests in flight are given when the host stops. */
  readonly drainMs: number;
  readonly signal: AbortSignal;
  tell(event: ServeEvent): void;
}

/**
 * Host the agent of an environment: serve the version that is deployed there, swap to the next one when it passes its check,
 * until `signal` aborts. Keeps serving while the platform is away, and starts from what it kept. Rejects at once with
 * `MACHINE_PORT_IN_USE` or `MACHINE_ADDRESS_UNUSABLE` when the machine does not let it listen.
 */
export async function serve(context: FlowContext, given: ServeInput): Promise<void> {
  const { serverUrl, envSecret, stateFolder } = given;
  await context.fs.makePrivateFolder(stateFolder);
  await checkPorts(context, given);
  const kept = createLocalLog(context, path.join(stateFolder, 'logs'), 'serve');
  const tell = logEvents(kept, given.tell);
  const input = { ...given, tell };
  const platform = connectHost({ serverUrl, envSecret, http: context.http, random: context.random });
  const log = createHostLog(context.clock);
  const host = new EnvironmentHost({
    id: context.random.uuid(),
    name: input.name,
    workers: input.workers,
    platform,
    programs: new ProgramStore(context, platform, stateFolder, envSecret),
    log,
    clock: context.clock,
    packageVersion: context.package.version,
    codeFolder: codeFolderIn(stateFolder),
    openPool: (authSecret) => openPool(context, input, authSecret, log.add),
    tell,
  });
  try {
    await host.run(input.signal);
  } finally {
    await host.stop(input.drainMs);
    await kept.close();
  }
  given.tell({ event: 'stopped' });
}

/** A host listens once it has a version to serve. A port that is taken ends it at its start, and not at the first push. */
async function checkPorts(context: FlowContext, { bindAddress, ports, workers }: ServeInput): Promise<void> {
  for (const port of [ports.agent, ports.mcp]) {
    const options = { host: bindAddress, port: { ...port, isShared: workers > 1 }, lostAnswer: null };
    const opened = await context.openReverseProxy(options);
    await opened.stop(0);
  }
}

function openPool(
  context: FlowContext,
  { serverUrl, envSecret, stateFolder, workers, ports, bindAddress, name, tell }: ServeInput,
  authSecret: string,
  log: (level: 'Info' | 'Error', text: string) => void,
): ServingPool {
  const isShared = workers > 1;
  return new ServingPool({
    size: workers,
    host: name,
    url: context.agentWorkerUrl,
    clock: context.clock,
    environment: withoutSecrets(context.variables),
    data: {
      projectRoot: codeFolderIn(stateFolder),
      stateFolder,
      platformUrl: serverUrl,
      envSecret,
      authSecret,
      isServing: true,
      isUnrestricted: false,
      waitsForDatabases: true,
      mayDatabasesBeAway: false,
      // The tables are those of the time of the deployment: a migration goes along with one.
      followsTables: false,
      logLevel: 'Error',
      identity: hostIdentity,
      bindAddress,
      agentPort: { ...ports.agent, isShared },
      mcpPort: { ...ports.mcp, isShared },
      mcpTools: parseEnabledTools(context.variables[enabledToolsVariable]),
      durableWrites: parseDurableWrites(context.variables[durableWritesVariable]),
      mcpReadOnly: parseReadOnly(context.variables[readOnlyVariable]) ?? false,
      mcpServerUrl: context.variables['SERVICE_MCP_SERVER_URL'],
      version: context.package.version,
    },
    onOutput: (text) => {
      log('Info', text);
      tell({ event: 'output', text });
    },
    onRequestFailed: (error) => {
      log('Error', error.message);
      tell({ event: 'request-failed', error });
    },
    onLost: (error) => {
      log('Error', error.message);
      tell({ event: 'worker-lost', error });
    },
  });
}

/** Where the code of a deployment is kept, and said to be. */
function codeFolderIn(stateFolder: string): string {
  return path.join(stateFolder, 'code');
}
