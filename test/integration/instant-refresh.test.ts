import path from 'node:path';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { schemaDocumentSchema } from '#contracts/schema-document';
import { nodeFileSystem } from '#node/files/node-file-system';
import { createHttp } from '#node/http/http-client';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { followPlatformEvents } from '#platform-client/event-stream';
import { createPlatformClient } from '#platform-client/platform-client';
import { type AgentOptions, createAgent, createSqlDataSource } from '../../src/exports/agent.ts';
import { createAgentTestClient, createForestServerSandbox } from '../../src/exports/agent-testing.ts';
import { createShopFile } from '../helpers/shop-agent.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const secrets = { agentForestEnvSecret: 'e'.repeat(64), agentForestAuthSecret: 'an auth secret of the test' };

/** A running agent with a client, on a platform for tests. */
async function setUp(options: Partial<AgentOptions> = {}) {
  const sandbox = await createForestServerSandbox(0);
  onTestFinished(() => sandbox.close());
  const agentSchemaPath = path.join(await temporaryFolder(), 'schema.json');
  const agent = createAgent({
    authSecret: secrets.agentForestAuthSecret,
    envSecret: secrets.agentForestEnvSecret,
    serverUrl: sandbox.url,
    schemaPath: agentSchemaPath,
    logger: () => undefined,
    ...options,
  })
    .addDataSource(createSqlDataSource(await createShopFile()))
    .mountOnStandaloneServer(0);
  onTestFinished(() => agent.stop());
  await agent.start();
  const client = await createAgentTestClient({
    ...secrets,
    serverUrl: sandbox.url,
    agentUrl: `http://127.0.0.1:${agent.standaloneServerPort}`,
    agentSchemaPath,
  });
  return { sandbox, agent, client, agentSchemaPath };
}

/** Hear what the platform announces; `next` is the first event of that name from now on. */
function hear(serverUrl: string) {
  const http = createHttp({ clock: systemClock, random: systemRandom });
  const waiting = new Map<string, (event: unknown) => void>();
  const subscription = followPlatformEvents(
    { serverUrl, envSecret: secrets.agentForestEnvSecret, http, random: systemRandom },
    {
      connected: () => waiting.get('connected')?.(undefined),
      resumed: () => waiting.get('resumed')?.(undefined),
      received: (event) => waiting.get(event.name)?.(event),
      disconnected: ({ code }) => waiting.get('disconnected')?.(code),
    },
  );
  onTestFinished(async () => {
    subscription.close();
    await http.close();
  });
  return { http, next: (name: string) => new Promise((resolve) => waiting.set(name, resolve)) };
}

describe('permissions that change while an agent runs', () => {
  it('work at once, taken away or given back', async () => {
    const { client } = await setUp();
    const orders = client.collection('orders');
    expect(await orders.count()).toBe(4);
    await client.overrideCollectionPermission('orders', { browseEnabled: false });
    await expect(orders.count()).rejects.toMatchObject({ status: 403 });
    await client.clearPermissionOverride();
    expect(await orders.count()).toBe(4);
  });

  it('are believed for a while without announcements', async () => {
    const { client } = await setUp({ instantCacheRefresh: false });
    const orders = client.collection('orders');
    expect(await orders.count()).toBe(4);
    await client.overrideCollectionPermission('orders', { browseEnabled: false });
    expect(await orders.count()).toBe(4);
  });
});

describe('the platform on this machine', () => {
  it('announces overrides, schemas and address rules to the agents of the environment, and the end of itself', async () => {
    const { sandbox, client, agentSchemaPath } = await setUp();
    const { http, next } = hear(sandbox.url);
    await next('connected');
    const roles = next('refresh-roles');
    await client.overrideCollectionPermission('orders', { readEnabled: false });
    expect(await roles).toEqual({ name: 'refresh-roles' });
    const renderings = next('refresh-renderings');
    const document = schemaDocumentSchema.parse(JSON.parse((await nodeFileSystem.readText(agentSchemaPath)) ?? ''));
    const credentials = { envSecret: secrets.agentForestEnvSecret };
    await createPlatformClient({ serverUrl: sandbox.url, http, credentials }).uploadSchema(document, 'b'.repeat(40));
    expect(await renderings).toMatchObject({ renderingIds: [expect.any(Number)] });
    const addresses = next('refresh-ip-rules');
    await fetch(`${sandbox.url}/ip-rules`, {
      method: 'PUT',
      headers: { 'service-secret-key': secrets.agentForestEnvSecret, 'content-type': 'application/json' },
      body: JSON.stringify({ use_ip_whitelist: false, rules: [] }),
    });
    expect(await addresses).toEqual({ name: 'refresh-ip-rules' });
    const end = next('disconnected');
    await sandbox.close();
    expect(await end).toBe('PLATFORM_FAILED');
  });

  it('announces nothing to whoever has no secret', async () => {
    const sandbox = await createForestServerSandbox(0);
    onTestFinished(() => sandbox.close());
    const response = await fetch(`${sandbox.url}/agent/v4/subscribe-to-events`);
    expect(response.status).toBe(401);
  });

  it('announces nothing to whoever asks for the headers only', async () => {
    const { sandbox } = await setUp();
    const response = await fetch(`${sandbox.url}/agent/v4/subscribe-to-events`, {
      method: 'HEAD',
      headers: { 'service-secret-key': secrets.agentForestEnvSecret },
    });
    expect(response.status).toBe(404);
  });
});

describe('a process that listens for changes', () => {
  it('ends when there is nothing else to do', async () => {
    const sandbox = await createForestServerSandbox(0);
    onTestFinished(() => sandbox.close());
    const program = `
      const { createHttp } = await import('#node/http/http-client');
      const { followPlatformEvents } = await import('#platform-client/event-stream');
      const { systemClock } = await import('#node/system/system-clock');
      const { systemRandom } = await import('#node/system/system-random');
      const http = createHttp({ clock: systemClock, random: systemRandom });
      await new Promise((resolve) => {
        const alive = setTimeout(() => undefined, 60_000);
        followPlatformEvents(
          { serverUrl: ${JSON.stringify(sandbox.url)}, envSecret: '${secrets.agentForestEnvSecret}', http, random: systemRandom },
          { connected: () => { clearTimeout(alive); resolve(); }, received: () => undefined, disconnected: () => undefined },
        );
      });
      console.log('connected');
    `;
    const { stdout } = await execa(
      process.execPath,
      ['--conditions=vendor-source', '--input-type=module', '--eval', program],
      {
        cwd: path.resolve(import.meta.dirname, '../..'),
      },
    );
    expect(stdout).toBe('connected');
  });
});
