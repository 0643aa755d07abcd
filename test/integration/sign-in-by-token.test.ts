import { describe, expect, it } from 'vitest';
import { systemClock } from '#node/system/system-clock';
import { type Browser, createBrowser } from '../helpers/browser.ts';
import { enterCode, postForm } from '../helpers/device-approval.ts';
import { startTeamPlatform } from '../helpers/team-platform.ts';

const never = () => false;
const dayMs = 24 * 3600 * 1000;
const client_id = 'vendor-cloud';
const device_grant = 'urn:ietf:params:oauth:grant-type:device_code';

/** Ada administers two projects, and has a token of each. */
async function startTwoProjects() {
  const time = { passed: 0 };
  const clock = { ...systemClock, now: () => systemClock.now() + time.passed };
  const platform = await startTeamPlatform({ clock });
  const user = { name: 'Ada Lovelace', email: 'ada@example.test' };
  const market = await platform.sandbox.provisionDevelopment({ project: 'market', envSecret: 'f'.repeat(64), user });
  const post = async (path: string, form: Readonly<Record<string, string>>) => {
    const response = await fetch(platform.url + path, { method: 'POST', body: new URLSearchParams(form) });
    return { status: response.status, body: (await response.json()) as Readonly<Record<string, unknown>> };
  };
  /** Sign in on a page that asks who it is. */
  const signIn = async (browser: Browser, start: string, token: string) => {
    const page = await browser.follow(new URL(start, platform.url).href, never);
    const posted = await postForm(browser, page.url, { token });
    return browser.follow(new URL(posted.headers.get('location') ?? '', platform.url).href, never);
  };
  /** What `login` gets of a device code that a token approves. */
  const redeemBy = async (token: string) => {
    const { body } = await post('/oidc/device/auth', { client_id, scope: 'openid' });
    const browser = createBrowser();
    const confirmed = await enterCode(browser, platform, body['user_code'], {});
    const done = await signIn(browser, confirmed.headers.get('location') ?? '', token);
    expect(await done.response?.text()).toContain('You are signed in');
    const redeemed = await post('/oidc/token', {
      client_id,
      grant_type: device_grant,
      device_code: String(body['device_code']),
    });
    expect(redeemed.status).toBe(200);
    return { access: String(redeemed.body['access_token']), refresh: String(redeemed.body['refresh_token']) };
  };
  const makeToken = (access: string, body: object = {}) =>
    platform.call('POST', '/api/tokens', { purpose: 'laptop', ...body }, access);
  const refresh = (refresh_token: string) =>
    post('/oidc/token', { client_id, grant_type: 'refresh_token', refresh_token });
  return { platform, time, market: market.userToken, signIn, redeemBy, makeToken, refresh };
}

describe('a device that a token approved', () => {
  it('gets tokens of the project of that token only', async () => {
    const { platform, redeemBy, makeToken } = await startTwoProjects();
    const { access } = await redeemBy(platform.token);
    expect(await makeToken(access, { project: 'market' })).toMatchObject({ status: 403 });
    expect(await makeToken(access)).toMatchObject({ status: 201, body: { project: 'shop' } });
  });

  it('gets tokens that end with that token, and none after it', async () => {
    const { platform, time, redeemBy, makeToken, refresh } = await startTwoProjects();
    const { body } = await platform.call('GET', '/api/sessions');
    const { sessions } = body as { sessions: { isCurrent: boolean; expiresAt: string }[] };
    const end = Date.parse(sessions.find(({ isCurrent }) => isCurrent)?.expiresAt ?? '');
    time.passed = end - systemClock.now() - dayMs;
    const { access, refresh: refreshToken } = await redeemBy(platform.token);
    const made = (await makeToken(access)).body as { token: string; expiresAt: string };
    expect(Date.parse(made.expiresAt)).toBe(end);
    time.passed += dayMs;
    expect(await makeToken(access)).toMatchObject({ status: 401 });
    expect(await refresh(refreshToken)).toMatchObject({ body: { error: 'invalid_grant' } });
    expect(await platform.call('GET', '/api/me', undefined, made.token)).toMatchObject({ status: 401 });
  });

  it('has nothing any more once the token is revoked', async () => {
    const { platform, redeemBy, makeToken, refresh } = await startTwoProjects();
    const { access, refresh: refreshToken } = await redeemBy(platform.token);
    const { token } = (await makeToken(access)).body as { token: string };
    expect(await platform.call('GET', '/api/me', undefined, token)).toMatchObject({ status: 200 });
    await platform.sandbox.revoke(platform.token);
    expect(await platform.call('GET', '/api/me', undefined, token)).toMatchObject({ status: 401 });
    expect(await makeToken(access)).toMatchObject({ status: 401 });
    expect(await refresh(refreshToken)).toMatchObject({ body: { error: 'invalid_grant' } });
  });

  it('gets tokens that neither print others nor sign a browser in', async () => {
    const { platform, redeemBy, makeToken } = await startTwoProjects();
    const { token } = (await makeToken((await redeemBy(platform.token)).access)).body as { token: string };
    const printed = await platform.call('POST', '/api/printed-tokens', { audience: 'platform' }, token);
    expect(printed).toMatchObject({ status: 403 });
    const page = await createBrowser().follow(`${platform.url}/settings/tokens`, never);
    const browser = createBrowser();
    const own = await browser.follow(`${platform.url}/settings/tokens`, never);
    expect((await postForm(browser, own.url, { token })).status).toBe(401);
    expect(page.url).toContain('/sign-in/');
  });
});

describe('a browser that a token signed in', () => {
  const page = '/settings/tokens';

  it('sees the API tokens of the project of that token, and makes none', async () => {
    const { platform, market, signIn } = await startTwoProjects();
    const browser = createBrowser();
    const html = (await (await signIn(browser, page, market)).response?.text()) ?? '';
    expect(html).toContain('API tokens of market');
    expect(html).not.toContain('shop');
    expect((await browser.open(`${platform.url}${page}?project=shop`)).status).toBe(403);
    const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? '';
    const common = { formToken: field('formToken'), key: field('key'), project: 'market' };
    const made = await postForm(browser, platform.url + page, {
      ...common,
      do: 'create',
      name: 'siem',
      life: '30',
      scopes: 'notes:read',
    });
    expect(await made.text()).toContain('makes no API tokens in the browser');
    expect((await postForm(browser, platform.url + page, { ...common, do: 'rotate', id: '1' })).status).toBe(403);
  });

  it.each<[string, (started: Awaited<ReturnType<typeof startTwoProjects>>) => Promise<void>]>([
    ['is revoked', ({ platform, market }) => platform.sandbox.revoke(market)],
    [
      'has expired',
      async ({ time }) => {
        time.passed += 400 * dayMs;
      },
    ],
  ])('is asked who it is again when the token %s', async (_how, end) => {
    const started = await startTwoProjects();
    const browser = createBrowser();
    await started.signIn(browser, page, started.market);
    await end(started);
    const again = await browser.follow(started.platform.url + page, never);
    expect(again.url).toContain('/sign-in/');
    expect(await again.response?.text()).toContain('name="password"');
  });
});
