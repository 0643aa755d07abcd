import { type OutgoingHttpHeaders, type RequestOptions, request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { authorizationUrl } from '../helpers/agent-authorization.ts';
import { type Browser, createBrowser } from '../helpers/browser.ts';
import { createManualTime } from '../helpers/manual-time.ts';
import { startTeamPlatform, type TeamPlatform } from '../helpers/team-platform.ts';

const callback = 'https://admin.example.test/service/authentication/callback';
const isBack = (url: string) => url.startsWith(callback);
const isConsole = (url: string) => new URL(url).pathname === '/console/';

const startPlatform = (options: Parameters<typeof startTeamPlatform>[0] = {}) =>
  startTeamPlatform({ hasSignInLinks: true, ...options });

async function secretOf(platform: TeamPlatform): Promise<string> {
  const { body } = await platform.call('POST', '/api/sign-in-links', {});
  return (body as { link: string }).link.split('#')[1] ?? '';
}

/** The page that a link leads to; the browser keeps what is behind the `#`. */
async function openPage(browser: Browser, platform: TeamPlatform) {
  const page = await browser.follow(`${platform.url}/sign-in-link`, isBack);
  return { url: page.url, html: (await page.response?.text()) ?? '', status: page.response?.status };
}

function post(browser: Browser, url: string, form: Readonly<Record<string, string>>, headers = {}) {
  const own = { origin: new URL(url).origin };
  return browser.open(url, { method: 'POST', headers: { ...own, ...headers }, body: new URLSearchParams(form) });
}

/** Use a link as the script of the page does. */
async function useLink(platform: TeamPlatform, secret: string, headers = {}) {
  const browser = createBrowser();
  const { url } = await openPage(browser, platform);
  const response = await post(browser, url, { link: secret }, headers);
  const location = response.headers.get('location');
  const problem = /role="alert"[^>]*>([^<]*)/.exec(location === null ? await response.text() : '')?.[1];
  const page = location === null ? undefined : await browser.follow(new URL(location, url).href, isBack);
  return { browser, status: response.status, problem, html: (await page?.response?.text()) ?? '' };
}

describe('a one-time link', () => {
  it('signs a browser in as the person who made it, and a page of an agent that waits goes on', async () => {
    const platform = await startPlatform();
    const browser = createBrowser();
    const waiting = await browser.follow(await authorizationUrl(platform, callback), isBack);
    expect(await waiting.response?.text()).toContain('Press <b>o</b> in the terminal');

    const { url } = await openPage(browser, platform);
    const posted = await post(browser, url, { link: await secretOf(platform) });
    const done = await browser.follow(new URL(posted.headers.get('location') ?? '', url).href, isConsole);
    expect(new URL(done.url).pathname).toBe('/console/');
    const settings = await browser.open(`${platform.url}/settings/tokens`);
    expect(await settings.text()).toContain('API tokens of shop');

    expect(await (await browser.open(waiting.url)).text()).toContain('wants to know your name');
    const agreed = await post(browser, waiting.url, { answer: 'yes' });
    const back = await browser.follow(new URL(agreed.headers.get('location') ?? '', waiting.url).href, isBack);
    expect(new URL(back.url).searchParams.get('code')).toEqual(expect.any(String));
  });

  it('is taken by the page of an agent too, pasted whole', async () => {
    const platform = await startPlatform();
    const browser = createBrowser();
    const { url } = await browser.follow(await authorizationUrl(platform, callback), isBack);
    const { link } = (await platform.call('POST', '/api/sign-in-links', {})).body as { link: string };
    const posted = await post(browser, url, { link: ` ${link} ` });
    const back = await browser.follow(new URL(posted.headers.get('location') ?? '', url).href, isBack);
    expect(new URL(back.url).searchParams.get('code')).toEqual(expect.any(String));
  });

  it('works once, also where two browsers send it at the same time', async () => {
    const platform = await startPlatform();
    const secret = await secretOf(platform);
    const both = await Promise.all([useLink(platform, secret), useLink(platform, secret)]);
    expect(both.map(({ status }) => status).sort()).toEqual([303, 401]);
    const again = await useLink(platform, secret);
    expect([again.status, again.problem]).toEqual([401, expect.stringContaining('was used')]);
    const page = await again.browser.open(`${platform.url}/settings/tokens`);
    expect(page.headers.get('location')).toContain('/oidc/auth');
  });

  it('works for 60 seconds, and until a newer one is made', async () => {
    const time = createManualTime();
    const platform = await startPlatform({ clock: time.clock });
    const { body } = await platform.call('POST', '/api/sign-in-links', {});
    const { link, expiresAt } = body as { link: string; expiresAt: string };
    expect(Date.parse(expiresAt) - time.clock.now()).toBe(60_000);
    time.pass(59_999);
    expect((await useLink(platform, link.split('#')[1] ?? '')).status).toBe(303);

    const late = await secretOf(platform);
    time.pass(60_000);
    expect((await useLink(platform, late)).status).toBe(401);

    const replaced = await secretOf(platform);
    const newer = await secretOf(platform);
    expect((await useLink(platform, replaced)).status).toBe(401);
    expect((await useLink(platform, newer)).status).toBe(303);
    expect((await useLink(platform, '')).status).toBe(401);
  });

  it('decides who is signed in from then on, where it is for somebody else', async () => {
    const platform = await startPlatform();
    const bob = await platform.join('bob@example.test', { level: 'admin' });
    const { browser } = await useLink(platform, await secretOf(platform));
    const { body } = await platform.call('POST', '/api/sign-in-links', { person: bob });
    const { url } = await openPage(browser, platform);
    const posted = await post(browser, url, { link: (body as { link: string }).link });
    const leaving = await browser.follow(new URL(posted.headers.get('location') ?? '', url).href, isBack);
    // The provider signs the one out first, by a form that a script sends.
    const html = (await leaving.response?.text()) ?? '';
    const fields = [...html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
    const action = new URL(/action="([^"]+)"/.exec(html)?.[1] ?? '', leaving.url).href;
    const left = await post(
      browser,
      action,
      Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value])),
    );
    const done = await browser.follow(new URL(left.headers.get('location') ?? '', action).href, isConsole);
    expect(new URL(done.url).pathname).toBe('/console/');
    const { sessions } = (await platform.call('GET', `/api/sessions?person=${bob}`)).body as { sessions: object[] };
    expect(sessions).toMatchObject([{ kind: 'browser', personId: bob }]);
    const own = (await platform.call('GET', '/api/sessions')).body as { sessions: object[] };
    expect(own.sessions).not.toContainEqual(expect.objectContaining({ kind: 'browser' }));
  });

  it('signs a browser in at two platforms of one machine at once', async () => {
    const browser = createBrowser();
    const platforms = [await startPlatform(), await startPlatform()];
    for (const platform of platforms) {
      const { url } = await openPage(browser, platform);
      const posted = await post(browser, url, { link: await secretOf(platform) });
      await browser.follow(new URL(posted.headers.get('location') ?? '', url).href, isBack);
    }
    for (const { url } of platforms) expect((await browser.open(`${url}/settings/tokens`)).status).toBe(200);
  });

  it('asks who it is although somebody is signed in, so that the link decides', async () => {
    const platform = await startPlatform();
    const { browser } = await useLink(platform, await secretOf(platform));
    expect((await openPage(browser, platform)).html).toContain('Link of the terminal');
  });

  it('is worth nothing to a page of another site, nor without the page', async () => {
    const platform = await startPlatform();
    const secret = await secretOf(platform);
    for (const headers of [
      { origin: 'https://evil.example.test' },
      { origin: 'null' },
      { origin: '' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      expect((await useLink(platform, secret, headers)).status, JSON.stringify(headers)).toBe(403);
    }
    const { url } = await openPage(createBrowser(), platform);
    expect((await post(createBrowser(), url, { link: secret })).status).toBe(404);
    expect((await useLink(platform, secret)).status).toBe(303);
  });

  it('is made and taken on the machine of the platform only: by no other name, and through no proxy', async () => {
    const platform = await startPlatform();
    const secret = await secretOf(platform);
    const { port } = new URL(platform.url);
    for (const headers of [
      { host: `evil.example.test:${port}` },
      { 'x-forwarded-for': '203.0.113.7' },
      { 'x-forwarded-host': 'shop.example.test' },
      { forwarded: 'for=203.0.113.7' },
    ]) {
      const asked = { authorization: `Bearer ${platform.token}`, host: `127.0.0.1:${port}`, ...headers };
      const at = { hostname: '127.0.0.1', port };
      const what = JSON.stringify(headers);
      expect(await statusOf({ ...at, method: 'POST', path: '/api/sign-in-links', headers: asked }), what).toBe(403);
      expect(await statusOf({ ...at, method: 'GET', path: '/sign-in-link', headers: asked }), what).toBe(403);
      if (!('host' in headers)) expect((await useLink(platform, secret, headers)).status, what).toBe(403);
    }
    expect((await useLink(platform, secret)).status).toBe(303);
  });

  const elsewhere = Object.values(networkInterfaces())
    .flat()
    .find((each) => each?.family === 'IPv4' && !each.internal)?.address;
  const reason = elsewhere === undefined ? ' (skipped: the machine has loopback only)' : '';
  it.skipIf(elsewhere === undefined)(`refuses a peer that is not on loopback${reason}`, async () => {
    const hostname = elsewhere ?? '';
    const platform = await startPlatform({ host: '0.0.0.0' });
    const { port } = new URL(platform.url);
    const headers = { authorization: `Bearer ${platform.token}`, host: `127.0.0.1:${port}` };
    const path = '/api/sign-in-links';
    expect(await statusOf({ hostname, port, method: 'POST', path, headers })).toBe(403);
    expect(await statusOf({ hostname: '127.0.0.1', port, method: 'POST', path, headers })).toBe(201);
  });

  it('is made for others by who may manage people, and never for somebody who is not an active member', async () => {
    const platform = await startPlatform();
    const bob = await platform.join('bob@example.test');
    expect((await platform.call('POST', '/api/sign-in-links', { person: bob })).status).toBe(201);
    expect((await platform.call('POST', '/api/sign-in-links', { person: 4711 })).status).toBe(404);
    expect((await platform.call('POST', '/api/sign-in-links', {}, null)).status).toBe(401);
    await platform.call('PATCH', `/api/people/${bob}`, { isActive: false });
    expect((await platform.call('POST', '/api/sign-in-links', { person: bob })).status).toBe(404);
  });

  it('is unknown to the platform of a team', async () => {
    const platform = await startTeamPlatform();
    expect((await platform.call('POST', '/api/sign-in-links', {})).status).toBe(404);
    expect((await fetch(`${platform.url}/sign-in-link`)).status).toBe(404);
    const browser = createBrowser();
    const { url, response } = await browser.follow(await authorizationUrl(platform, callback), isBack);
    expect(await response?.text()).not.toContain('terminal');
    expect((await post(browser, url, { link: 'a'.repeat(64) })).status).toBe(401);
  });
});

/** The status of a request that is sent with any `Host`, which `fetch` does not do. */
function statusOf({ headers, ...where }: RequestOptions & { readonly headers: OutgoingHttpHeaders }): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request({ ...where, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end();
  });
}
