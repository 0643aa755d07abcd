import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mcpScopes } from '#contracts/mcp';
import { createSqlDataSource, type EmbeddedAgent } from '../../src/exports/agent.ts';
import { createBrowser } from '../helpers/browser.ts';
import { createEmbeddedShop } from '../helpers/embedded-agent.ts';
import { hostApplications, type RunningHost } from '../helpers/host-applications.ts';
import { KeptAuthorization } from '../helpers/kept-authorization.ts';
import { answerConsent, openConsent } from '../helpers/mcp-authorization.ts';

type Host = (agent: EmbeddedAgent) => Promise<RunningHost>;

/** A connection of an official client that is not open yet. */
interface Connection {
  connect(): Promise<unknown>;
  finishAuth(answer: URLSearchParams): Promise<void>;
  toolNames(): Promise<readonly string[]>;
  call(name: string, given: Readonly<Record<string, unknown>>): Promise<unknown>;
}

const info = { name: 'test', version: '1.0.0' };

/** The SDK of the revision 2025-11-25. */
function olderClient(url: URL, authProvider: KeptAuthorization): Connection {
  const client = new Client(info);
  const transport = new StreamableHTTPClientTransport(url, { authProvider });
  onTestFinished(() => client.close());
  return {
    connect: () => client.connect(transport),
    finishAuth: (answer) => transport.finishAuth(answer.get('code') ?? ''),
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, given) => (await client.callTool({ name, arguments: { ...given } })).structuredContent,
  };
}

/** The SDK of the revision 2026-07-28. */
function modernClient(url: URL, authProvider: KeptAuthorization): Connection {
  const client = new ModernClient(info, { versionNegotiation: { mode: 'auto' } });
  const transport = new ModernTransport(url, { authProvider });
  onTestFinished(() => client.close());
  return {
    connect: () => client.connect(transport),
    finishAuth: (answer) => transport.finishAuth(answer),
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, given) => (await client.callTool({ name, arguments: { ...given } })).structuredContent,
  };
}

const clients = { 'the SDK of 2025-11-25': olderClient, 'the SDK of 2026-07-28': modernClient };

describe.each(Object.entries<Host>(hostApplications))('an official client at an agent on %s', (_framework, host) => {
  it.each(Object.entries(clients))('%s signs a person in and calls tools', async (_client, connectionTo) => {
    const shop = await createEmbeddedShop();
    shop.agent.addDataSource(createSqlDataSource(shop.databaseUri)).mountAiMcpServer();
    const { origin, close } = await host(shop.agent);
    onTestFinished(close);
    await shop.agent.start();
    const kept = new KeptAuthorization(mcpScopes.join(' '));
    const url = new URL(`${origin}/mcp`);

    const first = connectionTo(url, kept);
    await expect(first.connect()).rejects.toThrow();
    const browser = createBrowser();
    const answer = await answerConsent(browser, await openConsent(browser, shop, String(kept.asked)));
    await first.finishAuth(answer.searchParams);

    const second = connectionTo(url, kept);
    await second.connect();
    expect(await second.toolNames()).toEqual(expect.arrayContaining(['describeCollection', 'list', 'listRelated']));
    expect(await second.call('describeCollection', { collectionName: 'orders' })).toMatchObject({
      collection: 'orders',
    });
    expect(await second.call('list', { collectionName: 'orders', pagination: { size: 1 } })).toMatchObject({
      page: { returned: 1, hasMore: true },
    });
  });
});
