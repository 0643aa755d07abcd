import path from 'node:path';
import { consolePath } from '#contracts/console';
import { localLogFolders } from '#contracts/local-log';
import { openProject, type Project } from '#project/index';
import type { WorkerListening } from '../agent-worker/worker-protocol.ts';
import { type DevLock, takeDevLock } from '../dev-session/dev-session-lock.ts';
import { untilEndOrGone } from '../dev-session/project-place.ts';
import type { FlowContext } from '../flow-context.ts';
import { createCleanups } from '../lifetime.ts';
import { portsInUse } from '../local-platform/ports-in-use.ts';
import { refuseProductionKey } from '../local-platform/refuse-production-key.ts';
import { readServedPerson } from '../local-platform/served-person.ts';
import { startLocalPlatform } from '../local-platform/start-local-platform.ts';
import type { UsedPlatform } from '../local-platform/used-platform.ts';
import { createLocalLog, logEvents } from '../logs/write-local-log.ts';
import { prepareWorker } from '../project-agent/prepare-worker.ts';
import { withCodeFrame } from '../project-agent/with-code-frame.ts';
import { checkReady } from './check-ready.ts';
import { connectRemotePlatform } from './connect-remote-platform.ts';
import { createDevFeed, type DevFeed } from './dev-feed.ts';
import type { DevInput } from './dev-input.ts';
import { holdUntilReady } from './hold-until-ready.ts';
import { startLoop } from './start-loop.ts';

/**
 * Serve a project: local platform, agent and MCP server on loopback, hot-swapped on every save, until `signal` aborts; or once.
 * Resolves when everything is stopped; rejects when it cannot start.
 */
export async function dev(context: FlowContext, input: DevInput): Promise<void> {
  const cleanups = createCleanups();
  let lock: DevLock | undefined;
  try {
    const project = await openProject(context.fs, input.folder, context.variables);
    if (input.remote === undefined) await refuseProductionKey(context, project);
    const taken = await takeDevLock(context, project.root);
    lock = taken;
    cleanups.add(() => taken.release());
    const log = createLocalLog(context, path.join(project.root, localLogFolders[0]), 'dev');
    cleanups.add(() => log.close());
    const feed = createDevFeed();
    const tellBroken = logEvents(log, feed.before(input.tell));
    const tell = holdUntilReady(tellBroken);
    const worker = prepareWorker(context, project, { isServing: true });
    cleanups.add(() => worker.end());
    const platform = await platformFor(context, project, input, feed);
    cleanups.add(() => platform.stop());
    const { loop, agent, load, authSecret, permissionProblem, passwords } = await startLoop(
      context,
      { ...input, tell, tellBroken, noteLog: feed.note, worker },
      project,
      platform,
      cleanups,
    );
    const { servedAs, makeSignInLink } = platform;
    const servers = await agent.listen();
    platform.serveAgent?.(servers.agentUrl);
    // Somebody whose rights count may not be allowed to count records.
    await checkReady(context.http, {
      servers,
      platform,
      collection: platform.isLocal && !servedAs ? load.collections[0] : undefined,
      signal: input.signal,
    }).catch(async (error: unknown) => {
      // A server does not answer where the code has blocked it: the developer reads about that.
      throw await withCodeFrame(context.fs, agent.lastLoss ?? error);
    });
    const { agentUrl, mcpUrl } = servers;
    await taken.publish({
      agentUrl,
      mcpUrl,
      ...(platform.isLocal ? { sandboxUrl: platform.url, platformToken: platform.userToken } : {}),
      agentAccess: { authSecret, identity: platform.identity, servedAs: servedAs?.email ?? null },
    });
    const moved = await movedPorts(context, input, platform, servers);
    tell({
      event: 'ready',
      project: { path: project.root },
      agent: { url: agentUrl },
      sandbox: { url: platform.url, isLocal: platform.isLocal },
      console: { url: new URL(consolePath, platform.url).href },
      mcp: { url: mcpUrl, token: servers.mcpToken },
      token: servers.agentToken,
      as: servedAs ? { email: servedAs.email, role: servedAs.role, roles: servedAs.roles, team: servedAs.team } : null,
      collections: load.collections,
    });
    for (const message of moved) tell({ event: 'warning', message });
    for (const { file, line } of passwords) tell({ event: 'warning', message: passwordIn(file, line) });
    if (permissionProblem) tell({ event: 'error', error: permissionProblem });
    loop.warn(load);
    if (!input.isOnce) {
      loop.checkTypes();
      input.onRunning?.({ reload: loop.reload, makeSignInLink, diagnose: () => agent.diagnose() });
      await untilEndOrGone(context.fs, { root: project.root, hasStore: platform.isLocal, signal: input.signal });
    }
  } finally {
    // Added last, it runs first.
    if (lock) cleanups.add(lock.announceEnd);
    await cleanups.runAll();
  }
  input.tell({ event: 'stopped' });
}

function movedPorts(
  context: FlowContext,
  { ports }: DevInput,
  { isLocal, url }: UsedPlatform,
  { agentUrl, mcpUrl }: WorkerListening,
): Promise<readonly string[]> {
  return portsInUse(context, [
    { name: 'The agent', wanted: ports.agent, url: agentUrl },
    ...(isLocal ? [{ name: 'The local platform', wanted: ports.sandbox, url }] : []),
    { name: 'The MCP server', wanted: ports.mcp, url: mcpUrl },
  ]);
}

function passwordIn(file: string, line: number): string {
  return `${file}:${line}: a connection URI holds a password. A push takes it to no environment but one for development. Keep it in a variable, in .env.`;
}

async function platformFor(
  context: FlowContext,
  project: Project,
  { remote, as, ports, developer }: DevInput,
  devEvents: DevFeed,
): Promise<UsedPlatform> {
  if (remote !== undefined) {
    return context.reporter.step('Connecting to the platform', () =>
      connectRemotePlatform(context, project, { remote, as }),
    );
  }
  const servedAs = await readServedPerson(context, project, as);
  return context.reporter.step('Starting the local platform', () =>
    startLocalPlatform(context, project, {
      ...{ port: ports.sandbox, developer, servedAs, devEvents },
      examine: async () => (await import('../doctor/doctor.ts')).examineQuietly(context, project.root),
    }),
  );
}
