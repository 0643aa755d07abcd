import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { createSqlDataSource } from '../../src/exports/agent.ts';
import { createBrowser } from '../helpers/browser.ts';
import { createEmbeddedShop } from '../helpers/embedded-agent.ts';
import { startPublicProxy } from '../helpers/public-proxy.ts';

const publicUrl = 'https://platform.example.test';

/** As a proxy would ask: `fetch` sends no Host of one's own. */
async function ask(url: string, headers: Readonly<Record<string, string>>): Promise<IncomingMessage> {
  const request = httpRequest(url, { headers });
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

describe('a platform behind a proxy', () => {
  it.each([{ tellsHost: true }, { tellsHost: false }])('signs people in through one (%o)', async (how) => {
    const proxy = await startPublicProxy(how);
    const { agent, sandbox, access, databaseUri } = await createEmbeddedShop(
      { serverUrl: proxy.url },
      { publicUrl: proxy.url },
    );
    proxy.targets = [sandbox.url];
    agent.addDataSource(createSqlDataSource(databaseUri)).mountOnStandaloneServer(0);
    await agent.start();
    const agentUrl = `http://127.0.0.1:${agent.standaloneServerPort}/service`;
    const isBack = (url: string) => url.startsWith(agentUrl);
    const browser = createBrowser();

    const begun = await browser.open(`${agentUrl}/authentication`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ renderingId: access.renderingId }),
    });
    expect(begun.status).toBe(200);
    const { authorizationUrl } = (await begun.json()) as { authorizationUrl: string };
    const page = await browser.follow(authorizationUrl, isBack);
    expect([new URL(authorizationUrl).origin, new URL(page.url).origin]).toEqual([proxy.url, proxy.url]);
    const posted = await browser.open(page.url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: proxy.url },
      body: new URLSearchParams({ token: access.userToken }),
    });
    const resumed = new URL(posted.headers.get('location') ?? '', page.url);
    expect(resumed.origin).toBe(proxy.url);
    const callback = await browser.follow(resumed.href, isBack);
    const answer = await browser.open(callback.url);
    expect([answer.status, await answer.json()]).toMatchObject([200, { tokenData: { email: 'ada@example.test' } }]);
  });

  it('names itself as the public knows it, whatever is said of the way to it', async () => {
    const { sandbox } = await createEmbeddedShop({}, { publicUrl: `${publicUrl}/` });
    const { host } = new URL(sandbox.url);
    for (const headers of [
      { host: 'platform.example.test' },
      { host, 'x-forwarded-host': 'elsewhere.test', 'x-forwarded-proto': 'http' },
    ]) {
      const response = await ask(`${sandbox.url}/oidc/.well-known/openid-configuration`, headers);
      const { issuer, authorization_endpoint, token_endpoint, jwks_uri } = (await json(response)) as never;
      expect([issuer, authorization_endpoint, token_endpoint, jwks_uri]).toEqual(
        ['', '/auth', '/token', '/jwks'].map((path) => `${publicUrl}/oidc${path}`),
      );
    }
  });

  it('takes requests for its public name and pages of its public origin, and no others', async () => {
    const { sandbox } = await createEmbeddedShop({}, { publicUrl });
    const statusOf = async (headers: Readonly<Record<string, string>>) => {
      const response = await ask(`${sandbox.url}/health`, headers);
      response.resume();
      return response.statusCode;
    };
    const { host } = new URL(sandbox.url);
    const name = new URL(publicUrl).host;
    expect(await statusOf({ host: name, origin: publicUrl })).toBe(200);
    expect(await statusOf({ host, origin: publicUrl })).toBe(200);
    expect(await statusOf({ host, origin: sandbox.url })).toBe(200);
    expect(await statusOf({ host: name, origin: `http://${name}` })).toBe(403);
    expect(await statusOf({ host: 'elsewhere.test' })).toBe(403);
    expect(await statusOf({ host: name, origin: 'https://elsewhere.test' })).toBe(403);
  });

  it.each([
    'platform.example.test',
    'ftp://platform.example.test',
    'https://platform.example.test/below',
    'https://platform.example.test/?a=b',
    'https://ada:secret@platform.example.test',
    '',
  ])('has no public address that is not an origin: "%s"', async (address) => {
    await expect(createEmbeddedShop({}, { publicUrl: address })).rejects.toMatchObject({
      code: 'PLATFORM_ADDRESS_INVALID',
      message: expect.not.stringContaining('secret'),
    });
  });
});
