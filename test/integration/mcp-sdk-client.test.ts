import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { decodeJwt } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mcpScopes } from '#contracts/mcp';
import { createSqlDataSource } from '../../src/exports/agent.ts';
import { createBrowser } from '../helpers/browser.ts';
import { createEmbeddedShop } from '../helpers/embedded-agent.ts';
import { KeptAuthorization } from '../helpers/kept-authorization.ts';
import { answerConsent, openConsent } from '../helpers/mcp-authorization.ts';

describe.each(['', '/ai'])('the official client, at an agent with the base path "%s"', (basePath) => {
  it('registers, lets the person sign in, calls tools, refreshes its token, and goes on while the platform is away', {
    tags: 'long',
  }, async () => {
    const shop = await createEmbeddedShop();
    const { agent, databaseUri } = shop;
    agent.addDataSource(createSqlDataSource(databaseUri)).mountAiMcpServer({ basePath }).mountOnStandaloneServer(0);
    await agent.start();
    const origin = `http://127.0.0.1:${agent.standaloneServerPort}`;
    const authProvider = new KeptAuthorization();
    const open = async () => {
      const client = new Client({ name: 'test', version: '1.0.0' });
      const transport = new StreamableHTTPClientTransport(new URL(`${origin}${basePath}/mcp`), { authProvider });
      onTestFinished(() => client.close());
      return { client, transport, connect: () => client.connect(transport) };
    };
    const listOrders = async ({ client }: Awaited<ReturnType<typeof open>>) =>
      (await client.callTool({ name: 'list', arguments: { collectionName: 'orders' } })).structuredContent;

    const first = await open();
    await expect(first.connect()).rejects.toBeInstanceOf(UnauthorizedError);
    const browser = createBrowser();
    const page = await openConsent(browser, shop, String(authProvider.asked));
    const answer = await answerConsent(browser, page);
    expect(answer.searchParams.get('iss')).toBe(origin + basePath);
    await first.transport.finishAuth(answer.searchParams);

    const second = await open();
    await second.connect();
    expect(await listOrders(second)).toMatchObject({ records: expect.arrayContaining([expect.anything()]) });
    const before = authProvider.kept;
    expect(decodeJwt(before?.access_token ?? '')).toMatchObject({
      scope: mcpScopes.join(' '),
      email: 'ada@example.test',
    });

    // The endpoint refuses the token, so that the client uses its refresh token.
    authProvider.kept = { ...before, access_token: 'no token', token_type: 'Bearer' };
    expect(await listOrders(second)).toMatchObject({ records: expect.anything() });
    expect(authProvider.kept.refresh_token).not.toBe(before?.refresh_token);
    expect(authProvider.kept.access_token).not.toBe(before?.access_token);

    // A token that was given goes on working while the platform is away. Nobody gets a new one.
    const { refresh_token = '', access_token } = authProvider.kept;
    await shop.sandbox.stop();
    expect(await listOrders(second)).toMatchObject({ records: expect.anything() });
    expect(authProvider.kept.access_token).toBe(access_token);
    const client_id = authProvider.information?.client_id ?? '';
    const body = new URLSearchParams({ grant_type: 'refresh_token', client_id, refresh_token });
    const away = await fetch(`${origin}${basePath}/oauth/token`, { method: 'POST', body });
    expect([away.status, await away.json()]).toMatchObject([503, { error: 'temporarily_unavailable' }]);
  });
});
