import path from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { runAgentWorker } from '#flows/dev/agent-worker';
import type { AgentWorkerData } from '#flows/dev/worker-protocol';
import { createHttp } from '#host/http/http-client';
import { systemClock } from '#host/system/system-clock';
import { systemRandom } from '#host/system/system-random';
import type { Logger } from '#kernel/ports/logger';
import { createPlatformClient, type PlatformClient } from '#platform/index';
import { createAgentRuntime, createSqlDataSource } from '#runtime/index';

/** Names of data sources are the user's own, and not always ones for a file. */
function cacheOf({ stateFolder }: AgentWorkerData, name: string) {
  if (stateFolder === null) return {};
  return { catalogueCache: path.join(stateFolder, `catalogue-${encodeURIComponent(name)}.json`) };
}

function outboxOf({ stateFolder, platformUrl: serverUrl }: AgentWorkerData, platform: PlatformClient) {
  return stateFolder === null ? undefined : { platform, serverUrl, folder: path.join(stateFolder, 'activity') };
}

/** The entry of a worker thread: the agent's world is built here, as `context.ts` builds that of the commands. */
if (parentPort) {
  const data = workerData as AgentWorkerData;
  const http = createHttp({ clock: systemClock, random: systemRandom });
  const platform = createPlatformClient({
    serverUrl: data.platformUrl,
    http,
    credentials: { envSecret: data.envSecret },
  });
  const createRuntime = (logger: Logger) =>
    createAgentRuntime({
      dataSources: Object.fromEntries(
        Object.entries(data.dataSourceUris).map(([name, uri]) => [name, createSqlDataSource(uri, cacheOf(data, name))]),
      ),
      authSecret: data.authSecret,
      envSecret: data.envSecret,
      platform,
      signIn: platform,
      ipRules: platform,
      activity: outboxOf(data, platform),
      identity: data.identity,
      host: '127.0.0.1',
      agentPort: data.agentPort,
      mcpPort: data.mcpPort,
      logger,
      clock: systemClock,
      random: systemRandom,
      version: data.version,
      projectRoot: data.projectRoot,
    });
  runAgentWorker(parentPort, data, createRuntime);
}
