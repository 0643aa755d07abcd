import { describe, expect, it } from 'vitest';
import { startMcpServer, useMcpPlatform } from '../helpers/mcp-authorization.ts';
import { rawRequest } from '../helpers/raw-request.ts';
import { startShopAgent } from '../helpers/shop-agent.ts';
import { startTeamPlatform } from '../helpers/team-platform.ts';

const mcpPlatform = useMcpPlatform();

/** What a browser says of a request that a page made it send. */
const fetched = (site: string) => [`Sec-Fetch-Site: ${site}`, 'Sec-Fetch-Mode: cors', 'Sec-Fetch-Dest: empty'];
const navigation = (site: string, dest = 'document') => [
  `Sec-Fetch-Site: ${site}`,
  'Sec-Fetch-Mode: navigate',
  `Sec-Fetch-Dest: ${dest}`,
];
const otherPages = [
  ['a script of another site', fetched('cross-site'), 'GET'],
  ['a script of another port of this host', fetched('same-site'), 'GET'],
  ['a site that no browser knows', fetched('same-origin, cross-site'), 'GET'],
  ['a frame', navigation('cross-site', 'iframe'), 'GET'],
  ['a form of another site', navigation('same-site'), 'POST'],
] as const;
const ownPages = [
  ['a page of its own', fetched('same-origin'), 'GET'],
  ['the address bar', navigation('none'), 'GET'],
  ['a link, or a redirect of a sign-in', navigation('cross-site'), 'GET'],
  ['a program, which says nothing', [], 'GET'],
] as const;

describe('a request with a cookie of the platform', () => {
  it.each(otherPages)('is refused from %s', async (_from, lines, method) => {
    const { url } = await startTeamPlatform();
    const own = [`Host: ${new URL(url).host}`, ...lines];
    const answer = await rawRequest(`${url}/health`, [...own, 'Cookie: _session=1'], { method });
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([403, { errors: [{ code: 'REQUEST_CROSS_SITE' }] }]);
    if (method === 'GET') expect((await rawRequest(`${url}/health`, own)).status).toBe(200);
  });

  it.each(ownPages)('is taken from %s', async (_from, lines) => {
    const { url } = await startTeamPlatform();
    const own = [`Host: ${new URL(url).host}`, 'Cookie: _session=1'];
    expect((await rawRequest(`${url}/health`, [...own, ...lines])).status).toBe(200);
  });
});

describe('a request with a cookie of the agent', () => {
  const app = 'https://app.example';
  const start = async () => {
    const agent = await startShopAgent(undefined, { allowedOrigins: [app] });
    const host = `Host: ${new URL(agent.agentUrl).host}`;
    const cookie = `Cookie: theme=dark; service_session_token=${agent.token}`;
    const url = `${agent.agentUrl}/customers?timezone=UTC`;
    return { agent, url, host, cookie };
  };

  it.each(otherPages)('is refused from %s', async (_from, lines, method) => {
    const { url, host, cookie } = await start();
    const answer = await rawRequest(url, [host, cookie, ...lines], { method });
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([403, { errors: [{ code: 'REQUEST_CROSS_SITE' }] }]);
    const unknown = await rawRequest(url, [host, cookie, ...lines, 'Origin: https://evil.example'], { method });
    expect(unknown.status).toBe(403);
  });

  it.each(ownPages)('is taken from %s', async (_from, lines) => {
    const { url, host, cookie } = await start();
    expect((await rawRequest(url, [host, cookie, ...lines])).status).toBe(200);
  });

  it('is taken from an origin that is allowed, and refused before a sign-in comes back by a script', async () => {
    const { url, host, cookie, agent } = await start();
    const lines = [host, ...fetched('cross-site')];
    expect((await rawRequest(url, [...lines, cookie, `Origin: ${app}`])).status).toBe(200);
    const back = `${agent.agentUrl}/authentication/callback?state=x`;
    expect((await rawRequest(back, [...lines, 'Cookie: service_sign_in_0a=1'])).status).toBe(403);
  });

  it('does not count with the cookie of another program on the machine, and a token', async () => {
    const { url, host, agent } = await start();
    const lines = [host, ...fetched('same-site'), 'Cookie: theme=dark', `Authorization: Bearer ${agent.token}`];
    expect((await rawRequest(url, lines)).status).toBe(200);
  });
});

describe('a request with a cookie to the pages of the MCP server', () => {
  it.each(otherPages)('is refused from %s', async (_from, lines, method) => {
    const { place } = await startMcpServer(mcpPlatform());
    const own = [`Host: ${new URL(place.origin).host}`, 'Cookie: _session=1', ...lines];
    const { status, body } = await rawRequest(`${place.origin}/oauth/authorize`, own, { method });
    expect([status, body]).toEqual([403, expect.stringContaining('another origin')]);
  });

  it('is taken from a page of any origin where programs ask, which no cookie counts for', async () => {
    const { place } = await startMcpServer(mcpPlatform());
    const own = [`Host: ${new URL(place.origin).host}`, 'Cookie: _session=1', ...fetched('cross-site')];
    const { status } = await rawRequest(`${place.origin}/oauth/token`, own, { method: 'POST', body: 'grant_type=x' });
    expect(status).toBe(400);
  });
});

describe('a request with two Host headers', () => {
  it('is refused by the platform, the agent and the MCP server, whichever comes first', async () => {
    const { url } = await startTeamPlatform();
    const agent = await startShopAgent();
    const asked = [`${url}/health`, `${agent.agentUrl}/`, agent.mcpUrl, new URL('/oauth/authorize', agent.mcpUrl).href];
    for (const target of asked) {
      const own = `Host: ${new URL(target).host}`;
      const twice = [
        [own, 'Host: evil.example'],
        ['host: evil.example', own],
        [own, own],
      ];
      for (const lines of twice) {
        const { status, body } = await rawRequest(target, lines);
        expect([target, lines, status, body]).toEqual([
          target,
          lines,
          400,
          expect.stringContaining('several Host headers'),
        ]);
      }
      const once = await rawRequest(target, [own]);
      expect([target, once.body]).toEqual([target, expect.not.stringContaining('several Host headers')]);
    }
  });
});
