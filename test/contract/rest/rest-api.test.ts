import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { createSqlDataSource, type EmbeddedAgent } from '../../../src/exports/agent.ts';
import { openEmbeddedShop } from '../../helpers/embedded-agent.ts';
import { hostApplications, type RunningHost } from '../../helpers/host-applications.ts';
import { type AgentUnderTest, describeRestApi } from './rest-suite.ts';
import { customizeShop } from './shop.ts';

const { AGENT_URL: agentUrl, AGENT_AUTH_SECRET: authSecret = '' } = process.env;

const hosts: Readonly<Record<string, (agent: EmbeddedAgent) => Promise<RunningHost>>> = {
  'a server of its own': async (agent) => {
    await agent.mountOnStandaloneServer(0).start();
    return { origin: `http://127.0.0.1:${agent.standaloneServerPort}`, close: () => agent.stop() };
  },
  ...hostApplications,
};

/** Start an agent for the tests around this; the address is known when they run. */
function useAgentOn(host: (agent: EmbeddedAgent) => Promise<RunningHost>): () => AgentUnderTest {
  let folder: string;
  let shop: Awaited<ReturnType<typeof openEmbeddedShop>>;
  let running: RunningHost;
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(path.join(tmpdir(), 'vendor-cloud-test-')));
    shop = await openEmbeddedShop(folder);
    customizeShop(shop.agent.addDataSource(createSqlDataSource(shop.databaseUri, { liveQueryConnections: 'main' })));
    running = await host(shop.agent);
    await shop.agent.start();
  });
  afterAll(async () => {
    await running.close();
    await shop.close();
    await rm(folder, { recursive: true, force: true });
  });
  return () => ({ agentUrl: `${running.origin}/service`, authSecret: shop.authSecret });
}

if (agentUrl) {
  describe(`the REST API at ${agentUrl}`, () => describeRestApi(() => ({ agentUrl, authSecret })));
} else {
  describe.each(Object.entries(hosts))('the REST API on %s', (_name, host) => describeRestApi(useAgentOn(host)));
}
