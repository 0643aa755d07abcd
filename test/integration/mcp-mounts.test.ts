import { describe, expect, it, onTestFinished } from 'vitest';
import { mcpScopes } from '#contracts/mcp';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createMcpTokens } from '#runtime/surfaces/mcp/mcp-token';
import {
  type AgentOptions,
  createSqlDataSource,
  type EmbeddedAgent,
  type McpOptions,
} from '../../src/exports/agent.ts';
import { createEmbeddedShop } from '../helpers/embedded-agent.ts';
import { hostApplications, type RunningHost } from '../helpers/host-applications.ts';
import { identity } from '../helpers/shop-agent.ts';

type Host = (agent: EmbeddedAgent) => Promise<RunningHost>;

const standalone: Host = async (agent) => {
  agent.mountOnStandaloneServer(0);
  await agent.start();
  return { origin: `http://127.0.0.1:${agent.standaloneServerPort}`, close: () => agent.stop() };
};

/** A shop that serves MCP, and a token for all of it. */
async function mount(host: Host, mcpOptions: McpOptions = {}, options: Partial<AgentOptions> = {}) {
  const shop = await createEmbeddedShop(options);
  shop.agent.addDataSource(createSqlDataSource(shop.databaseUri)).mountAiMcpServer(mcpOptions);
  const { origin, close } = await host(shop.agent);
  onTestFinished(close);
  await shop.agent.start();
  const tokens = createMcpTokens(shop.authSecret, systemClock, systemRandom, () => false);
  const mcpToken = await tokens.issue(identity, `${origin}${mcpOptions.basePath ?? ''}/mcp`, mcpScopes);
  const ask = async (path: string, method: 'GET' | 'POST' = 'POST', body: object = listTools) => {
    const headers = {
      authorization: `Bearer ${mcpToken}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const answer = await fetch(`${origin}${path}`, {
      method,
      headers,
      ...(method === 'POST' ? { body: JSON.stringify(body) } : {}),
    });
    return { status: answer.status, text: await answer.text() };
  };
  return { ...shop, origin, token: mcpToken, ask };
}

const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

describe.each([...Object.entries<Host>(hostApplications), ['a server of its own', standalone] as const])(
  'the MCP server of an agent on %s',
  (_framework, host) => {
    it('answers at the root of the host, with all that is in its namespaces', async () => {
      const { ask } = await mount(host);
      const listed = await ask('/mcp');
      expect(listed).toMatchObject({ status: 200, text: expect.stringContaining('describeCollection') });
      expect((await ask('/mcp', 'GET')).status).toBe(405);
      for (const path of ['/mcp/x', '/oauth/google', '/.well-known/acme-challenge/1']) {
        expect({ path, answer: await ask(path, 'GET') }).toMatchObject({
          answer: { status: 404, text: expect.stringMatching(/jsonrpc|not_found/) },
        });
      }
    });

    it('tells where to get a token, and takes registrations and token requests', async () => {
      const { origin } = await mount(host, { basePath: '/ai' });
      const metadata = await fetch(`${origin}/.well-known/oauth-authorization-server/ai`);
      expect(await metadata.json()).toMatchObject({ issuer: `${origin}/ai` });
      const registered = await fetch(`${origin}/ai/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ redirect_uris: ['https://client.example/callback'] }),
      });
      const { client_id } = (await registered.json()) as { client_id: string };
      expect([registered.status, client_id]).toEqual([201, expect.any(String)]);
      const body = new URLSearchParams({ grant_type: 'refresh_token', client_id, refresh_token: 'none' });
      const refused = await fetch(`${origin}/ai/oauth/token`, { method: 'POST', body });
      expect([refused.status, await refused.json()]).toMatchObject([400, { error: 'invalid_grant' }]);
    });

    it('leaves everything else to the host', async () => {
      const { ask } = await mount(host, { basePath: '/ai' });
      expect((await ask('/ai/mcp')).status).toBe(200);
      const paths = ['/mcp', '/ai/mcp-x', '/ai', '/oauth/google', '/.well-known/oauth-protected-resource', '/%61i/mcp'];
      for (const path of paths) {
        const { status, text } = await ask(path, 'GET');
        expect({ path, status, isOurs: /jsonrpc|not_found/.test(text) }).toEqual({ path, status: 404, isOurs: false });
      }
    });
  },
);

describe('a page of another origin', () => {
  it('may read where to sign in, and may not use the endpoint', async () => {
    const { origin, token } = await mount(standalone);
    const foreign = { origin: 'https://app.example.com' };
    const metadata = await fetch(`${origin}/.well-known/oauth-protected-resource/mcp`, { headers: foreign });
    expect([metadata.status, metadata.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    const headers = { ...foreign, authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const listed = await fetch(`${origin}/mcp`, { method: 'POST', headers, body: JSON.stringify(listTools) });
    expect(listed.status).toBe(403);
  });
});

describe('mountAiMcpServer', () => {
  it('serves the tools that it names, and none for an empty list', async () => {
    const { ask } = await mount(standalone, { enabledTools: ['list'] });
    const { text } = await ask('/mcp');
    expect(text).toContain('"name":"list"');
    expect(text).not.toContain('"name":"describeCollection"');
    const none = await mount(standalone, { enabledTools: [] });
    expect((await none.ask('/mcp')).text).toContain('"tools":[]');
  });

  it.each([
    [{ enabledTools: ['lst'] }, 'there is no tool "lst"; the nearest one is "list"'],
    [{ basePath: '/a b' }, 'its parts may have only letters, digits, - and _'],
    [{ basePth: '/ai' }, 'there is no such option; the nearest one is "basePath"'],
  ])('refuses %j', async (mcpOptions, reason) => {
    const { agent } = await createEmbeddedShop();
    expect(() => agent.mountAiMcpServer(mcpOptions as never)).toThrow(reason);
  });

  it('keeps an agent in production from starting that does not know its address', async () => {
    const { agent, databaseUri, schemaPath } = await createEmbeddedShop({ skipSchemaUpdate: false });
    await agent.addDataSource(createSqlDataSource(databaseUri)).generateSchemaOnly();
    const shop = await createEmbeddedShop({ isProduction: true, schemaPath });
    shop.agent.addDataSource(createSqlDataSource(shop.databaseUri)).mountAiMcpServer();
    await expect(shop.agent.start()).rejects.toMatchObject({
      code: 'AGENT_OPTION_INVALID',
      message: expect.stringContaining('does not know the address'),
    });
  });
});
