import { describe, expect, it } from 'vitest';
import { consoleBrowserOf, openConsoleBrowser, signInToConsole } from '../helpers/console-browser.ts';
import { createManualTime } from '../helpers/manual-time.ts';
import { password, startTeamPlatform } from '../helpers/team-platform.ts';

const bob = 'bob@example.test';

async function startWithBob(options: Parameters<typeof startTeamPlatform>[0] = {}, change = {}) {
  const platform = await startTeamPlatform(options);
  const bobId = await platform.join(bob, change);
  return { platform, bobId, browser: await consoleBrowserOf(platform, bob) };
}

async function codeOf(response: Response): Promise<string | undefined> {
  return ((await response.json()) as { errors?: { code: string }[] }).errors?.[0]?.code;
}

describe('the sign-in of the console', () => {
  it.each([undefined, '/console/', '/console/shop/orders?sort=-total&view=a%20b#row-7'])(
    'comes back to the place that was asked for: %s',
    async (place) => {
      const platform = await startTeamPlatform();
      await platform.join(bob);
      const browser = openConsoleBrowser(platform);
      const { pathname, search, hash } = await signInToConsole(browser, platform, { email: bob, password }, place);
      expect(pathname + search + hash).toBe(place ?? '/console/');
      // Somebody who is signed in is asked nothing.
      const again = await browser.open(`${platform.url}/console/sign-in?return=/console/other`);
      expect([again.status, again.headers.get('location')]).toEqual([303, '/console/other']);
    },
  );

  it.each([
    'https://evil.example.test/console/',
    '//evil.example.test/console/',
    '/\\evil.example.test/console/',
    'console/',
    '/settings/tokens',
    '/console/../settings/tokens',
    '/console/%2e%2e/settings/tokens',
    '/consolex',
    '/console/sign-in',
    '/console/sign-in/done?code=1',
    '/console/agent/development/orders',
    'javascript:alert(1)',
    '\t//evil.example.test/console/',
  ])('comes back to no other place: %s', async (place) => {
    const { platform, browser } = await startWithBob();
    const asked = await browser.open(`${platform.url}/console/sign-in?return=${encodeURIComponent(place)}`);
    expect(asked.status).toBe(400);
    expect(await asked.text()).toContain('is not a path of the console');
    const brought = await browser.open(`${platform.url}/console/sign-in/done?state=${encodeURIComponent(place)}`);
    expect(brought.status).toBe(400);
  });

  it('says so where the browser keeps no cookies', async () => {
    const platform = await startTeamPlatform();
    const answer = await fetch(`${platform.url}/console/sign-in/done?code=1&state=/console/`);
    expect([answer.status, await answer.text()]).toEqual([401, expect.stringContaining('does not keep cookies')]);
  });
});

describe('the session of a browser', () => {
  it('says who asks, wherever a token would', async () => {
    const { platform, browser, bobId } = await startWithBob({}, { level: 'admin' });
    const me = await browser.ask('GET', '/api/me');
    expect([me.status, await me.json()]).toEqual([
      200,
      expect.objectContaining({ project: 'shop', environment: 'development' }),
    ]);
    const team = await browser.ask('POST', '/api/teams', { name: 'Support' });
    expect(team.status).toBe(201);
    const { sessions } = (await (await browser.ask('GET', '/api/sessions')).json()) as { sessions: object[] };
    const lastUsedAt = expect.any(String);
    expect(sessions).toContainEqual(
      expect.objectContaining({ kind: 'browser', personId: bobId, isCurrent: true, lastUsedAt }),
    );
    // The first use of a minute is written at once.
    const own = async () => (await platform.call('GET', '/api/sessions')).body as { sessions: object[] };
    await expect
      .poll(async () => (await own()).sessions)
      .toContainEqual(expect.objectContaining({ kind: 'token', isCurrent: true, device: null, lastUsedAt }));
    expect((await platform.call('GET', '/api/teams')).body).toMatchObject({ teams: [{}, { name: 'Support' }] });
  });

  it('says what the person may do, and how a browser reaches each agent', async () => {
    const production = 'https://admin.example.test/service';
    const { platform, browser } = await startWithBob(
      { reachAgent: ({ name }) => (name === 'development' ? 'http://127.0.0.1:9/service' : undefined) },
      { level: 'developer' },
    );
    const more = { name: 'production', type: 'production', agentAddresses: [production] };
    await platform.call('POST', '/api/environments', more);
    await platform.call('POST', '/api/environments', { name: 'staging', type: 'development' });
    const { projectId } = (await platform.call('GET', '/api/me')).body as { projectId: number };
    expect(await (await browser.ask('GET', '/api/me')).json()).toEqual({
      user: { id: expect.any(Number), name: 'bob Example', email: bob },
      team: 'Operations',
      roles: [{ name: 'Administrators', source: 'given' }],
      teams: [{ name: 'Operations', source: 'given' }],
      renderingId: expect.any(Number),
      project: 'shop',
      projectId,
      environment: 'development',
      level: 'developer',
      role: 'Administrators',
      projects: [{ id: projectId, name: 'shop' }],
      environments: [
        { name: 'development', type: 'development', agent: 'platform', agentUrl: 'http://127.0.0.1:9/service' },
        { name: 'production', type: 'production', agent: production, agentUrl: production },
        { name: 'staging', type: 'development', agent: null, agentUrl: null },
      ],
      deeds: [
        'read the project',
        'push versions',
        'deploy to development',
        'deploy to production',
        'read logs',
        'set variables of development',
        'read rights',
      ],
    });
    const ada = (await platform.call('GET', '/api/me')).body as { deeds: string[] };
    expect(ada.deeds).toContain('manage people');
    const rights = { roles: { Support: { collections: {} } }, people: { [bob]: { role: 'Support' } } };
    const set = await platform.call('PUT', '/api/rights', { document: rights, base: 0, allowLockout: true });
    expect([set.status, set.detail]).toEqual([200, '']);
    expect(await (await browser.ask('GET', '/api/me')).json()).toMatchObject({ role: 'Support' });
  });

  it.each([
    ['without the header of the console', { 'service-client': undefined }, 401],
    ['with another one', { 'service-client': 'page' }, 403],
    ['from a page of another origin', { 'sec-fetch-site': 'cross-site' }, 403],
    ['from a page of another port', { 'sec-fetch-site': 'same-site' }, 403],
    ['from the address bar', { 'sec-fetch-site': 'none' }, 403],
    ['from a program', { 'sec-fetch-site': undefined }, 403],
    ['by a page that names another origin', { origin: 'https://evil.example.test' }, 403],
  ])('does not count %s', async (_title, headers, status) => {
    const { browser } = await startWithBob();
    expect((await browser.ask('GET', '/api/me', undefined, headers)).status).toBe(status);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', undefined])(
    'does not count with a body of another type than JSON: %s',
    async (type) => {
      const { platform, browser } = await startWithBob({}, { level: 'admin' });
      const answer = await browser.ask('POST', '/api/teams', { name: 'Support' }, { 'content-type': type });
      expect([answer.status, await codeOf(answer)]).toEqual([403, 'REQUEST_FORBIDDEN']);
      expect((await platform.call('GET', '/api/teams')).body).toMatchObject({ teams: [{ name: 'Operations' }] });
    },
  );

  it('counts for the events of a browser, which sends no headers of a page', async () => {
    const { browser } = await startWithBob();
    const bare = { 'service-client': undefined, accept: 'text/event-stream' };
    expect((await browser.ask('GET', '/api/me', undefined, bare)).status).toBe(200);
    expect((await browser.ask('GET', '/api/me', undefined, { ...bare, 'sec-fetch-site': 'same-site' })).status).toBe(
      403,
    );
    expect((await browser.ask('DELETE', '/api/sessions', undefined, bare)).status).toBe(401);
  });

  it('opens neither the API of programs nor one of agents', async () => {
    const { browser } = await startWithBob({}, { level: 'admin' });
    for (const path of ['/v1/caller', '/agent/environment']) expect((await browser.ask('GET', path)).status).toBe(401);
  });

  it('gives way to a token that the request has', async () => {
    const { platform, browser } = await startWithBob();
    const own = { authorization: `Bearer ${platform.token}` };
    const me = await browser.ask('GET', '/api/me', undefined, own);
    expect(await me.json()).toMatchObject({ user: { email: 'ada@example.test' } });
    const wrong = { authorization: `Bearer vcu_${'0'.repeat(64)}` };
    expect((await browser.ask('GET', '/api/me', undefined, wrong)).status).toBe(401);
  });

  it('makes nothing that outlives it: no token and no link', async () => {
    const { browser } = await startWithBob({ hasSignInLinks: true }, { level: 'admin' });
    expect((await browser.ask('POST', '/api/printed-tokens', { audience: 'platform' })).status).toBe(403);
    expect((await browser.ask('POST', '/api/sign-in-links', {})).status).toBe(403);
  });

  it('reaches the project that the page names, and none that the person does not belong to', async () => {
    const { platform, browser } = await startWithBob();
    const user = { name: 'Eve', email: 'eve@example.test' };
    const { userToken } = await platform.sandbox.provisionDevelopment({
      project: 'bank',
      envSecret: 'b'.repeat(64),
      user,
    });
    const bank = (await platform.call('GET', '/api/me', undefined, userToken)).body as { projectId: number };
    const named = { 'service-project': String(bank.projectId) };
    expect((await browser.ask('GET', '/api/me', undefined, named)).status).toBe(403);
    const invited = await platform.call(
      'POST',
      '/api/invitations',
      { email: bob, level: 'user', role: 'Administrators' },
      userToken,
    );
    const [, secret] = (invited.body as { link: string }).link.split('#');
    const names = { firstName: 'Bob', lastName: 'Example', password };
    await platform.call('POST', '/api/invitations/accept', { secret, ...names }, null);
    const inBank = await browser.ask('GET', '/api/me', undefined, named);
    expect(await inBank.json()).toMatchObject({ project: 'bank' });
    const elsewhere = await browser.ask('GET', '/api/me', undefined, { ...named, 'service-environment': 'nowhere' });
    expect(elsewhere.status).toBe(404);
  });

  it('reaches the project of the token that somebody signed in with, and ends with it', async () => {
    const platform = await startTeamPlatform();
    const browser = openConsoleBrowser(platform);
    await signInToConsole(browser, platform, { token: platform.token });
    expect((await browser.ask('GET', '/api/me')).status).toBe(200);
    const other = await platform.sandbox.provisionDevelopment({
      project: 'bank',
      envSecret: 'b'.repeat(64),
      user: { name: 'Ada Lovelace', email: 'ada@example.test' },
    });
    const bank = (await platform.call('GET', '/api/me', undefined, other.userToken)).body as { projectId: number };
    const named = { 'service-project': String(bank.projectId) };
    expect((await browser.ask('GET', '/api/me', undefined, named)).status).toBe(403);
    const apiToken = await browser.ask('POST', '/api/projects/shop/tokens', { name: 'ci', scopes: ['all'] });
    expect([apiToken.status, await codeOf(apiToken)]).toEqual([403, 'REQUEST_FORBIDDEN']);
    await platform.sandbox.revoke(platform.token);
    expect((await browser.ask('GET', '/api/me')).status).toBe(401);
  });

  it('is not begun with a printed token', async () => {
    const platform = await startTeamPlatform();
    const { body } = await platform.call('POST', '/api/printed-tokens', { audience: 'platform' });
    const { token } = body as { token: string };
    await expect(signInToConsole(openConsoleBrowser(platform), platform, { token })).rejects.toThrow('401');
  });

  it('ends when the person signs out, is deactivated, or after eight hours', async () => {
    const time = createManualTime();
    const { platform, browser, bobId } = await startWithBob({ clock: time.clock });
    const cookie = browser.cookieHeader(platform.url);
    expect((await browser.ask('POST', '/console/sign-out', undefined, { 'sec-fetch-site': 'cross-site' })).status).toBe(
      403,
    );
    expect((await browser.ask('POST', '/console/sign-out')).status).toBe(204);
    expect(browser.cookieNames()).not.toContainEqual(expect.stringContaining('_session'));
    // Whoever kept the cookie has nothing of it.
    expect((await browser.ask('GET', '/api/me', undefined, { cookie })).status).toBe(401);

    await signInToConsole(browser, platform, { email: bob, password });
    time.pass(8 * 3600_000 - 1000);
    expect((await browser.ask('GET', '/api/me')).status).toBe(200);
    time.pass(2000);
    expect((await browser.ask('GET', '/api/me')).status).toBe(401);

    await signInToConsole(browser, platform, { email: bob, password });
    await platform.call('PATCH', `/api/people/${bobId}`, { isActive: false });
    expect((await browser.ask('GET', '/api/me')).status).toBe(401);
  });
});
