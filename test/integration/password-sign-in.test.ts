import { describe, expect, it } from 'vitest';
import { recommendedCost } from '#platform/passwords/password-hash';
import { authorizationUrl, codeVerifier, registerAgent } from '../helpers/agent-authorization.ts';
import { type Browser, createBrowser } from '../helpers/browser.ts';
import { createManualTime } from '../helpers/manual-time.ts';
import { password, startTeamPlatform, type TeamPlatform } from '../helpers/team-platform.ts';

const bob = 'bob@example.test';
const callback = 'https://admin.example.test/service/authentication/callback';
const isBack = (url: string) => url.startsWith(callback);

/** The page that asks who it is, as an agent sends the browser there. */
async function openPage(browser: Browser, platform: TeamPlatform) {
  const page = await browser.follow(await authorizationUrl(platform, callback), isBack);
  return { url: page.url, html: (await page.response?.text()) ?? '', headers: page.response?.headers };
}

function post(
  browser: Browser,
  url: string,
  form: Readonly<Record<string, string>>,
  headers: Record<string, string> = {},
) {
  const origin = new URL(url).origin;
  return browser.open(url, { method: 'POST', headers: { origin, ...headers }, body: new URLSearchParams(form) });
}

/** Send a form that the platform takes, and follow to where it leads: back to the agent, or to another page. */
async function submit(browser: Browser, url: string, form: Readonly<Record<string, string>>) {
  const posted = await post(browser, url, form);
  expect(posted.status).toBe(303);
  return browser.follow(new URL(posted.headers.get('location') ?? '', url).href, isBack);
}

/** One try on a page of its own; the status, and the problem that the page names. */
async function trySignIn(platform: TeamPlatform, email: string, typed: string, headers: Record<string, string> = {}) {
  const browser = createBrowser();
  const { url } = await openPage(browser, platform);
  const response = await post(browser, url, { email, password: typed }, headers);
  const problem = /role="alert"[^>]*>([^<]*)/.exec(await response.text())?.[1];
  return { status: response.status, problem };
}

describe('the page for signing in', () => {
  it('signs in by e-mail and password, whatever the case of the e-mail, and leads back to the agent', async () => {
    const platform = await startTeamPlatform();
    await platform.join(bob);
    const browser = createBrowser();
    const { url } = await openPage(browser, platform);
    const back = await submit(browser, url, { email: ' BOB@example.test', password });
    const query = new URL(back.url).searchParams;
    expect([query.get('state'), query.get('code')]).toEqual(['s', expect.any(String)]);
    const tokens = await fetch(`${platform.url}/oidc/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: await registerAgent(platform, callback),
        code: query.get('code') ?? '',
        redirect_uri: callback,
        code_verifier: codeVerifier,
      }),
    });
    expect(await tokens.json()).toMatchObject({ access_token: expect.any(String), id_token: expect.any(String) });
  });

  it('works without scripts and names everything for a screen reader', async () => {
    const platform = await startTeamPlatform();
    const browser = createBrowser();
    const { html, headers, url } = await openPage(browser, platform);
    expect(html).toContain('<html lang="en">');
    expect(html).toContain('<title>Sign in to shop</title>');
    expect(html).not.toMatch(/<script| on\w+="| style="/);
    for (const [, id] of html.matchAll(/<input id="(\w+)"/g)) expect(html).toContain(`<label for="${id}">`);
    expect(html).toContain('autocomplete="username"');
    expect(html).toContain('autocomplete="current-password"');
    const policy = headers?.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    expect(policy).toContain("form-action 'self' https://admin.example.test");
    const refused = await (await post(browser, url, { email: '"><b>', password: 'wrong' })).text();
    expect(refused).toContain('<title>Error: Sign in to shop</title>');
    expect(refused).toMatch(/<p class="problem" id="problem" role="alert" tabindex="-1" autofocus>The e-mail/);
    expect(refused).toContain('aria-invalid="true" aria-describedby="problem"');
    expect(refused).not.toContain('"><b>');
    const wrongToken = await (await post(browser, url, { token: 'nonsense' })).text();
    expect(wrongToken).toMatch(/<details open>[\s\S]*name="token"[^>]*aria-invalid="true"/);
    expect(wrongToken).not.toMatch(/name="email"[^>]*aria-invalid/);
  });

  it('refuses a form that comes from a page of another origin', async () => {
    const platform = await startTeamPlatform();
    await platform.join(bob);
    const browser = createBrowser();
    const { url } = await openPage(browser, platform);
    const forged = await post(browser, url, { email: bob, password }, { origin: 'https://elsewhere.test' });
    expect(forged.status).toBe(403);
    const stranger = await post(createBrowser(), url, { email: bob, password });
    expect([stranger.status, await stranger.text()]).toEqual([
      404,
      expect.stringContaining('<h1>This did not work</h1>'),
    ]);
  });

  it('asks nobody twice who has agreed, and asks for another environment once', async () => {
    const platform = await startTeamPlatform();
    await platform.join(bob);
    const browser = createBrowser();
    const { url } = await openPage(browser, platform);
    await submit(browser, url, { email: bob, password });
    expect((await openPage(browser, platform)).url).toContain('code=');
    const made = await platform.call('POST', '/api/environments', { name: 'staging', type: 'production' });
    const staging = { ...platform, envSecret: (made.body as { secret: string }).secret };
    const asked = await openPage(browser, staging);
    expect(asked.html).toContain('The environment <b>staging</b>');
    const back = await submit(browser, asked.url, { answer: 'no' });
    expect(back.url).toContain('error=access_denied');
    const again = await openPage(browser, staging);
    const done = await submit(browser, again.url, { answer: 'yes' });
    expect(done.url).toContain('code=');
    expect((await openPage(browser, staging)).url).toContain('code=');
  });

  it('gives an agent refresh tokens when it asks for them, after asking the person', async () => {
    const platform = await startTeamPlatform();
    await platform.join(bob);
    const browser = createBrowser();
    const client_id = await registerAgent(platform, callback);
    const url = await authorizationUrl(platform, callback, { scope: 'openid offline_access', prompt: 'consent' });
    const page = await browser.follow(url, isBack);
    const back = await submit(browser, page.url, { email: bob, password });
    const redeem = async (form: Record<string, string>) => {
      const body = new URLSearchParams({ client_id, ...form });
      return (await (await fetch(`${platform.url}/oidc/token`, { method: 'POST', body })).json()) as Record<
        string,
        string
      >;
    };
    const code = new URL(back.url).searchParams.get('code') ?? '';
    const code_grant = { grant_type: 'authorization_code', code, redirect_uri: callback };
    expect(await redeem({ ...code_grant, code_verifier: `${codeVerifier}x` })).toMatchObject({
      error: 'invalid_grant',
    });
    const first = await redeem({ ...code_grant, code_verifier: codeVerifier });
    const refresh_token = first['refresh_token'] ?? '';
    expect(refresh_token).not.toBe('');
    const second = await redeem({ grant_type: 'refresh_token', refresh_token });
    expect(second['refresh_token']).not.toBe(refresh_token);
  });

  it('asks again after signing out', async () => {
    const platform = await startTeamPlatform();
    await platform.join(bob);
    const browser = createBrowser();
    const { url } = await openPage(browser, platform);
    await submit(browser, url, { email: bob, password });
    const page = await (await browser.open(`${platform.url}/oidc/session/end`)).text();
    const xsrf = /name="xsrf" value="([^"]*)"/.exec(page)?.[1] ?? '';
    const out = await post(browser, `${platform.url}/oidc/session/end/confirm`, { xsrf, logout: 'yes' });
    expect(out.status).toBe(303);
    expect((await openPage(browser, platform)).html).toContain('Sign in to shop');
  });

  it.each([
    ['without PKCE', { code_challenge: '', code_challenge_method: '' }],
    ['with a plain challenge', { code_challenge_method: 'plain' }],
  ])('is not reached %s', async (_how, change) => {
    const platform = await startTeamPlatform();
    const url = await authorizationUrl(platform, callback, change);
    const back = await createBrowser().follow(url, isBack);
    expect(new URL(back.url).searchParams.get('error')).toBe('invalid_request');
    expect(platform.logged).toContainEqual(expect.objectContaining({ message: 'The sign-in refused a request.' }));
  });
});

describe('wrong passwords', () => {
  it('are answered like an account that does not exist, and lock the account for longer and longer', async () => {
    const time = createManualTime();
    const platform = await startTeamPlatform({ clock: time.clock });
    await platform.join(bob);
    const unknown = await trySignIn(platform, 'nobody@example.test', password);
    expect(unknown).toMatchObject({ status: 401, problem: expect.stringContaining('too many tries') });
    for (let count = 0; count < 5; count++) expect(await trySignIn(platform, bob, 'wrong')).toEqual(unknown);
    expect(await trySignIn(platform, bob, password)).toEqual(unknown);
    time.pass(2_000);
    expect(await trySignIn(platform, bob, 'wrong')).toEqual(unknown);
    time.pass(2_000);
    expect(await trySignIn(platform, bob, password)).toEqual(unknown);
    time.pass(2_000);
    expect(await trySignIn(platform, bob, password)).toMatchObject({ status: 303 });
    expect(await trySignIn(platform, bob, 'wrong')).toEqual(unknown);
    expect(await trySignIn(platform, bob, password)).toMatchObject({ status: 303 });
  });

  it('at the same time count like wrong passwords one after another', async () => {
    const time = createManualTime();
    const platform = await startTeamPlatform({ clock: time.clock });
    await platform.join(bob);
    await Promise.all(Array.from({ length: 5 }, () => trySignIn(platform, bob, 'wrong')));
    expect(await trySignIn(platform, bob, password)).toMatchObject({ status: 401 });
  });

  it('take the same work for an account that does not exist, and none for one that is locked, whether it exists or not', async () => {
    const platform = await startTeamPlatform({ clock: createManualTime().clock, passwordCost: recommendedCost });
    await platform.join(bob);
    // Processor time, which a busy machine does not change much.
    const msOf = async (email: string) => {
      const browser = createBrowser();
      const { url } = await openPage(browser, platform);
      const start = process.cpuUsage();
      await post(browser, url, { email, password: 'wrong' });
      const { user, system } = process.cpuUsage(start);
      return (user + system) / 1_000;
    };
    const fastest = async (email: string) => Math.min(await msOf(email), await msOf(email));
    // A hash takes most of the time of an answer, so that an answer without one takes a tenth.
    const wrong = await fastest(bob);
    expect(await fastest('nobody@example.test')).toBeGreaterThan(wrong / 3);
    for (const email of [bob, 'nobody@example.test']) {
      for (let count = 0; count < 3; count++) await trySignIn(platform, email, 'wrong');
      expect(await fastest(email)).toBeLessThan(wrong / 3);
    }
  });
});

describe('links of administrators', () => {
  const linkOf = async (platform: TeamPlatform, id: number) => {
    const made = await platform.call('POST', `/api/people/${id}/password-reset`);
    return (made.body as { link: string }).link;
  };

  it('set a new password once, end all sessions and lift the lock', async () => {
    const platform = await startTeamPlatform();
    const id = await platform.join(bob);
    const newer = 'a newer battery staple';
    for (let count = 0; count < 6; count++) await trySignIn(platform, bob, 'wrong');
    const older = (await linkOf(platform, id)).split('#')[1];
    const link = await linkOf(platform, id);
    expect(link).toMatch(new RegExp(`^${platform.url}/reset#[0-9a-f]{64}$`));
    const use = (secret: string | undefined, chosen = newer) =>
      platform.call('POST', '/api/password-resets/use', { secret, password: chosen }, null);
    const secret = link.split('#')[1];
    expect(await use(older)).toMatchObject({ status: 409 });
    expect(await use(secret, bob)).toMatchObject({ status: 400, detail: expect.stringContaining('e-mail') });
    expect(await use(secret)).toMatchObject({ status: 204 });
    expect(await use(secret)).toMatchObject({ status: 409 });
    expect(await trySignIn(platform, bob, password)).toMatchObject({ status: 401 });
    expect(await trySignIn(platform, bob, newer)).toMatchObject({ status: 303 });
  });

  it('are not needed by who knows the current password', async () => {
    const platform = await startTeamPlatform();
    const { sandbox, envSecret } = platform;
    await platform.join(bob);
    const access = await sandbox.provisionDevelopment({
      project: 'shop',
      envSecret,
      user: { name: 'Bob', email: bob },
    });
    const newer = 'a newer battery staple';
    const change = (current: string, chosen = newer) =>
      platform.call('POST', '/api/me/password', { current, password: chosen }, access.userToken);
    expect(await change('wrong')).toMatchObject({ status: 401, detail: expect.stringContaining('current password') });
    expect(await change(password, bob)).toMatchObject({ status: 400 });
    expect(await change(password)).toMatchObject({ status: 204 });
    expect(await change(newer, password)).toMatchObject({ status: 401, detail: 'The token was revoked.' });
    expect(await trySignIn(platform, bob, newer)).toMatchObject({ status: 303 });
  });

  it('end after a day', async () => {
    const time = createManualTime();
    const platform = await startTeamPlatform({ clock: time.clock });
    const secret = (await linkOf(platform, await platform.join(bob))).split('#')[1];
    time.pass(24 * 60 * 60_000);
    const used = await platform.call('POST', '/api/password-resets/use', { secret, password }, null);
    expect(used).toMatchObject({ status: 409 });
  });

  it.each(['/join', '/reset'])(
    'open the page %s, which works without scripts and keeps what was typed',
    async (path) => {
      const platform = await startTeamPlatform();
      const id = path === '/reset' ? await platform.join(bob) : 0;
      const secret =
        path === '/reset' ? ((await linkOf(platform, id)).split('#')[1] ?? '') : await platform.invite(bob);
      const page = `${platform.url}${path}`;
      const browser = createBrowser();
      const opened = await browser.open(page);
      // Only the page of an invitation asks the platform something.
      expect(opened.headers.get('content-security-policy')?.includes('connect-src')).toBe(path === '/join');
      const html = await opened.text();
      for (const [, field] of html.matchAll(/<input id="(\w+)"/g)) expect(html).toContain(`<label for="${field}">`);
      expect(html).toContain('autocomplete="new-password"');
      expect(html).toContain(`<script src="${path}.js" defer></script>`);
      const names: Record<string, string> = path === '/join' ? { firstName: 'Bob', lastName: '<i>' } : {};
      const form = { ...names, secret: ` ${page}#${secret} ` };
      const refused = await post(browser, page, { ...form, password: 'short' });
      const text = await refused.text();
      expect([refused.status, text]).toEqual([422, expect.stringContaining('at least 12 characters')]);
      expect(text).toContain(`value="${secret}"`);
      expect(text).not.toContain('<i>');
      const done = await post(browser, page, { ...form, password });
      expect([done.status, await done.text()]).toEqual([200, expect.stringContaining('<h1>You')]);
      expect(await trySignIn(platform, bob, password)).toMatchObject({ status: 303 });
      const script = await browser.open(`${page}.js`);
      expect(script.headers.get('content-type')).toContain('text/javascript');
    },
  );

  it('say who invites which person to which project, to whoever has the link and as long as it is open', async () => {
    const platform = await startTeamPlatform();
    const secret = await platform.invite(bob);
    const browser = createBrowser();
    const ask = async (of: string) => {
      const answer = await post(browser, `${platform.url}/join/introduction`, { secret: of });
      return [answer.status, await answer.text()];
    };
    expect(await ask(secret)).toEqual([200, `Ada Lovelace invites ${bob} to the project "shop".`]);
    expect(await ask('0'.repeat(64))).toEqual([422, expect.stringContaining('The invitation is unknown.')]);
    const names = { firstName: 'Bob', lastName: 'Builder' };
    await post(browser, `${platform.url}/join`, { ...names, secret, password });
    expect(await ask(secret)).toEqual([422, expect.stringContaining('was accepted before')]);
  });
});
