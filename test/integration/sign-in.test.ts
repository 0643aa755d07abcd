import { describe, expect, it } from 'vitest';
import { type AgentOptions, createSqlDataSource, type EmbeddedAgent } from '../../src/exports/agent.ts';
import { type Browser, createBrowser } from '../helpers/browser.ts';
import { createEmbeddedShop, type EmbeddedShop } from '../helpers/embedded-agent.ts';

type StartedShop = EmbeddedShop & { readonly agentUrl: string };

async function startShop(options: Partial<AgentOptions> = {}): Promise<StartedShop> {
  const shop = await createEmbeddedShop(options);
  return { ...shop, agentUrl: await serve(shop, shop.agent) };
}

async function serve({ databaseUri }: EmbeddedShop, agent: EmbeddedAgent): Promise<string> {
  agent.addDataSource(createSqlDataSource(databaseUri)).mountOnStandaloneServer(0);
  await agent.start();
  return `http://127.0.0.1:${agent.standaloneServerPort}/service`;
}

async function begin(browser: Browser, { agentUrl, access }: StartedShop) {
  const answer = await browser.open(`${agentUrl}/authentication`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ renderingId: String(access.renderingId) }),
  });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { authorizationUrl: string }).authorizationUrl;
}

/** Signs in at the platform; the address the browser is sent back to, not opened yet. */
async function authorize(browser: Browser, shop: StartedShop, token = shop.access.userToken): Promise<string> {
  return confirm(browser, shop, await openPage(browser, shop), token);
}

/** The page of the platform that asks who it is. */
async function openPage(browser: Browser, shop: StartedShop) {
  const page = await browser.follow(await begin(browser, shop), isBackAt(shop));
  expect(await page.response?.text()).toContain('Sign in to shop');
  return page;
}

const isBackAt =
  ({ agentUrl }: StartedShop) =>
  (url: string) =>
    url.startsWith(agentUrl);

async function confirm(
  browser: Browser,
  shop: StartedShop,
  page: { readonly url: string },
  token = shop.access.userToken,
): Promise<string> {
  const posted = await browser.open(page.url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: new URL(page.url).origin },
    body: new URLSearchParams({ token }),
  });
  if (posted.status === 401) return `refused: ${await posted.text()}`;
  const { url } = await browser.follow(new URL(posted.headers.get('location') ?? '', page.url).href, isBackAt(shop));
  return url;
}

describe('signing in', () => {
  it('leads from the agent to the platform and back, with a token that the agent takes', async () => {
    const shop = await startShop();
    const browser = createBrowser();
    const callback = await authorize(browser, shop);
    const answer = await browser.open(callback);
    expect(answer.status).toBe(200);
    const { token, tokenData } = (await answer.json()) as { token: string; tokenData: unknown };
    expect(tokenData).toEqual({
      id: shop.access.userId,
      email: 'ada@example.test',
      firstName: 'Ada',
      lastName: '',
      team: 'Operations',
      role: 'Administrators',
      permissionLevel: 'admin',
      renderingId: shop.access.renderingId,
      tags: {},
    });
    const orders = await fetch(`${shop.agentUrl}/orders?timezone=UTC`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(orders.status).toBe(200);
    expect(browser.cookieNames().filter((name) => name.startsWith('service_sign_in'))).toEqual([]);
  });

  it('gives the role and the tags that the rights of the environment say', async () => {
    const shop = await startShop();
    const document = {
      roles: { support: { collections: { orders: { browse: true } } } },
      people: { 'ada@example.test': { role: 'support', tags: { region: 'north' } } },
    };
    const set = await fetch(`${shop.sandbox.url}/api/rights`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${shop.access.userToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ document, base: 0 }),
    });
    expect(set.status).toBe(200);
    const browser = createBrowser();
    const answer = await browser.open(await authorize(browser, shop));
    expect(await answer.json()).toMatchObject({ tokenData: { role: 'support', tags: { region: 'north' } } });
  });

  it('refuses a token of another project, and a browser that one has signed in', async () => {
    const shop = await startShop();
    const user = { name: 'Ada', email: 'ada@example.test' };
    const market = await shop.sandbox.provisionDevelopment({ project: 'market', envSecret: 'f'.repeat(64), user });
    expect(await authorize(createBrowser(), shop, market.userToken)).toContain('The token is for another project.');
    const browser = createBrowser();
    const settings = await browser.follow(`${shop.sandbox.url}/settings/tokens`, () => false);
    await confirm(browser, shop, settings, market.userToken);
    const page = await browser.follow(await begin(browser, shop), isBackAt(shop));
    expect(await page.response?.text()).toContain('Sign in to shop');
  });

  it('ends at the agent when the token that somebody signed in with is revoked', async () => {
    const shop = await startShop();
    const browser = createBrowser();
    const answer = await browser.open(await authorize(browser, shop));
    const { token } = (await answer.json()) as { token: string };
    const status = async () => {
      const headers = { authorization: `Bearer ${token}` };
      return (await fetch(`${shop.agentUrl}/orders?timezone=UTC`, { headers })).status;
    };
    expect(await status()).toBe(200);
    await shop.sandbox.revoke(shop.access.userToken);
    await expect.poll(status, { timeout: 5_000 }).toBe(401);
  });

  it('asks for a code with PKCE and a nonce, and says the rendering in the state', async () => {
    const shop = await startShop();
    const query = new URL(await begin(createBrowser(), shop)).searchParams;
    expect(Object.fromEntries(query)).toMatchObject({
      response_type: 'code',
      scope: 'openid email profile',
      code_challenge_method: 'S256',
      redirect_uri: `${shop.agentUrl}/authentication/callback`,
    });
    expect(query.get('nonce')).toHaveLength(43);
    expect(JSON.parse(query.get('state') ?? '')).toMatchObject({ renderingId: shop.access.renderingId });
  });

  it('ends only in the browser it was begun in, and once', async () => {
    const shop = await startShop();
    const browser = createBrowser();
    const callback = await authorize(browser, shop);
    const stolen = await createBrowser().open(callback);
    const state = new URL(callback).searchParams.get('state');
    expect([stolen.status, await stolen.json()]).toEqual([
      401,
      { error: 'invalid_state', error_description: expect.stringContaining('not begun in this browser'), state },
    ]);
    expect((await browser.open(callback)).status).toBe(200);
    expect((await browser.open(callback)).status).toBe(401);
  });

  it('leads back to the agent that was asked, whichever of the environment registered last', async () => {
    const shop = await startShop();
    const other = { ...shop, agentUrl: await serve(shop, shop.newAgent()) };
    for (const asked of [shop, other, shop]) {
      const browser = createBrowser();
      const callback = await authorize(browser, asked);
      expect([callback.startsWith(asked.agentUrl), (await browser.open(callback)).status]).toEqual([true, 200]);
    }
  });

  it('takes localhost for the name of this machine', async () => {
    const shop = await startShop();
    const named = shop.newAgent({ serverUrl: shop.sandbox.url.replace('127.0.0.1', 'localhost') });
    const asked = { ...shop, agentUrl: await serve(shop, named) };
    const browser = createBrowser();
    expect((await browser.open(await authorize(browser, asked))).status).toBe(200);
  });

  it('may be begun twice in one browser', async () => {
    const shop = await startShop();
    const browser = createBrowser();
    const first = await openPage(browser, shop);
    const second = await openPage(browser, shop);
    for (const page of [first, second]) {
      expect((await browser.open(await confirm(browser, shop, page))).status).toBe(200);
    }
  });

  it.each([
    [['127.0.0.1'], true],
    [['203.0.113.5'], false],
    [[], false],
  ])('with the trusted proxies %j believes that the client came over TLS: %j', async (trustedProxies, isSecure) => {
    const { agentUrl, access } = await startShop({ trustedProxies });
    const answer = await fetch(`${agentUrl}/authentication`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-proto': 'http, https' },
      body: JSON.stringify({ renderingId: access.renderingId }),
    });
    expect(answer.headers.get('set-cookie')?.includes('; Secure')).toBe(isSecure);
  });

  it('says what the platform refuses', async () => {
    const shop = await startShop();
    const browser = createBrowser();
    const callback = new URL(await authorize(browser, shop));
    callback.searchParams.set('code', 'somebody-else');
    const wrongCode = await browser.open(callback.href);
    expect([wrongCode.status, await wrongCode.json()]).toMatchObject([401, { error: 'invalid_grant' }]);
    callback.searchParams.delete('code');
    callback.searchParams.set('error', 'access_denied');
    const denied = await browser.open(callback.href);
    expect([denied.status, await denied.json()]).toMatchObject([401, { error: 'access_denied' }]);
  });

  it('takes a token of the platform and nothing else', async () => {
    const shop = await startShop();
    expect(await authorize(createBrowser(), shop, `vcu_${'0'.repeat(64)}`)).toContain('not a token of this platform');
  });

  it('refuses the rendering of another team, and tells the person’s own', async () => {
    const shop = await startShop();
    const send = (method: string, path: string, body: object) =>
      fetch(`${shop.sandbox.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${shop.access.userToken}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    await send('PUT', '/api/rights', {
      document: { roles: {}, teams: { Operations: {}, Support: {} } },
      base: 0,
      allowLockout: true,
    });
    await send('PATCH', `/api/people/${shop.access.userId}`, { team: 'Support' });
    const browser = createBrowser();
    const refused = await browser.open(await authorize(browser, shop));
    expect(refused.status).toBe(403);
    const { error_description: why } = (await refused.json()) as { error_description: string };
    const own = /your team is "Support", which has the rendering (\d+)/.exec(why)?.[1];
    const moved = { ...shop, access: { ...shop.access, renderingId: Number(own) } };
    const again = createBrowser();
    const answer = await again.open(await authorize(again, moved));
    expect(await answer.json()).toMatchObject({ tokenData: { team: 'Support', renderingId: Number(own) } });
  });

  it('refuses a rendering that is not the person’s', async () => {
    const shop = await startShop();
    const elsewhere = { ...shop, access: { ...shop.access, renderingId: 999 } };
    const browser = createBrowser();
    const answer = await browser.open(await authorize(browser, elsewhere));
    expect([answer.status, await answer.json()]).toMatchObject([403, { error: 403 }]);
  });

  it.each([
    ['', 400],
    ['?state=12', 400],
    ['?state=nonsense&code=x', 400],
    ['?state={"renderingId":"x"}&code=x', 400],
    ['?state={"renderingId":1}&code=x', 401],
  ])('answers a callback with "%s" by %i', async (query, status) => {
    const shop = await startShop();
    expect((await fetch(`${shop.agentUrl}/authentication/callback${query}`)).status).toBe(status);
  });

  it.each([{}, { renderingId: 'x' }, { renderingId: null }, { renderingId: -1 }])('begins with no %j', async (body) => {
    const shop = await startShop();
    const answer = await fetch(`${shop.agentUrl}/authentication`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(400);
  });

  it('does not tell where a platform is that cannot be reached', async () => {
    const shop = await startShop();
    await shop.sandbox.stop();
    const answer = await fetch(`${shop.agentUrl}/authentication`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ renderingId: 1 }),
    });
    expect(answer.status).toBeGreaterThanOrEqual(500);
    expect(await answer.text()).not.toContain('127.0.0.1');
  });
});
