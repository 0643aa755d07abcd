import path from 'node:path';
import { localLogFolders } from '#contracts/local-log';
import { openProject, readPermissions } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { createLocalLog } from '../logs/local-log.ts';
import { logEvents } from '../logs/log-events.ts';
import { checkReady } from './check-ready.ts';
import { createCleanups } from './cleanups.ts';
import type { DevInput } from './dev-input.ts';
import { takeDevLock } from './dev-lock.ts';
import { servedPerson } from './served-person.ts';
import { startLoop } from './start-loop.ts';
import { startPlatform } from './start-platform.ts';
import { untilAborted } from './until-aborted.ts';

/**
 * Serve a project: local platform, agent and MCP server on loopback, hot-swapped on every save, until `signal` aborts.
 * Resolves when everything is stopped; rejects when it cannot start.
 */
export async function dev(context: FlowContext, input: DevInput): Promise<void> {
  const cleanups = createCleanups();
  try {
    const project = await openProject(context.fs, input.folder, context.variables);
    const lock = await takeDevLock(context, project.root);
    cleanups.add(() => lock.release());
    const log = createLocalLog(context, path.join(project.root, localLogFolders[0]), 'dev');
    cleanups.add(() => log.close());
    const tell = logEvents(log, input.tell);
    const file = input.as === undefined ? undefined : await readPermissions(context.fs, project.root);
    const servedAs = input.as === undefined ? undefined : servedPerson(file, input.as);
    const platform = await context.reporter.step('Starting the local platform', () =>
      startPlatform(context, project, input.ports.sandbox, input.developer, servedAs),
    );
    cleanups.add(() => platform.stop());
    const { loop, agent, load, permissionProblem } = await startLoop(
      context,
      { ...input, tell },
      project,
      platform,
      cleanups,
    );
    const servers = await agent.listen();
    // Somebody who is served under rights may not be allowed to count.
    await checkReady(context.http, servers, platform, servedAs ? undefined : load.collections[0]);
    const { agentUrl, mcpUrl } = servers;
    await lock.publish({ agentUrl, sandboxUrl: platform.url, mcpUrl, platformToken: platform.userToken });
    tell({
      event: 'ready',
      project: { path: project.root },
      agent: { url: agentUrl },
      sandbox: { url: platform.url },
      mcp: { url: mcpUrl, token: servers.mcpToken },
      token: servers.agentToken,
      as: servedAs ? { email: servedAs.email, role: servedAs.role, team: servedAs.team } : null,
      collections: load.collections,
    });
    if (permissionProblem) tell({ event: 'error', error: permissionProblem });
    loop.warn(load);
    input.onRunning?.({ reload: loop.reload, diagnose: () => agent.diagnose() });
    await untilAborted(input.signal);
  } finally {
    await cleanups.runAll();
  }
  input.tell({ event: 'stopped' });
}
