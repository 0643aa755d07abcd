import { type OAuthClientProvider, UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js';
import { decodeJwt } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSqlDataSource } from '../../src/exports/agent.ts';
import { createBrowser } from '../helpers/browser.ts';
import { createEmbeddedShop } from '../helpers/embedded-agent.ts';
import { answerConsent, openConsent } from '../helpers/mcp-authorization.ts';

/** What an application keeps that uses the official client. */
class KeptAuthorization implements OAuthClientProvider {
  readonly redirectUrl = 'http://127.0.0.1:41002/callback';
  readonly clientMetadata: OAuthClientMetadata = {
    client_name: 'Official client',
    redirect_uris: [this.redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  asked: URL | undefined;
  information: OAuthClientInformationMixed | undefined;
  kept: OAuthTokens | undefined;
  #verifier = '';

  state = () => 'state of the client';
  clientInformation = () => this.information;
  tokens = () => this.kept;
  codeVerifier = () => this.#verifier;

  saveClientInformation(information: OAuthClientInformationMixed): void {
    this.information = information;
  }

  saveTokens(tokens: OAuthTokens): void {
    this.kept = tokens;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  redirectToAuthorization(url: URL): void {
    this.asked = url;
  }
}

describe.each(['', '/ai'])('the official client, at an agent with the base path "%s"', (basePath) => {
  it('registers, lets the person sign in, calls a tool, and refreshes its token', async () => {
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
    await first.transport.finishAuth(answer.searchParams.get('code') ?? '');

    const second = await open();
    await second.connect();
    expect(await listOrders(second)).toMatchObject({ records: expect.arrayContaining([expect.anything()]) });
    const before = authProvider.kept;
    expect(decodeJwt(before?.access_token ?? '')).toMatchObject({ scope: 'mcp:read', email: 'ada@example.test' });

    // The endpoint refuses the token, so that the client uses its refresh token.
    authProvider.kept = { ...before, access_token: 'no token', token_type: 'Bearer' };
    expect(await listOrders(second)).toMatchObject({ records: expect.anything() });
    expect(authProvider.kept.refresh_token).not.toBe(before?.refresh_token);
    expect(authProvider.kept.access_token).not.toBe(before?.access_token);
  });
});
