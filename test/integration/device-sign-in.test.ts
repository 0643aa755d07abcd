import { describe, expect, it } from 'vitest';
import { sessionListSchema } from '#contracts/sessions';
import { createBrowser } from '../helpers/browser.ts';
import { approveDevice, enterCode, postForm, xsrfOf } from '../helpers/device-approval.ts';
import { createManualTime } from '../helpers/manual-time.ts';
import { startTeamPlatform, type TeamPlatform } from '../helpers/team-platform.ts';

const bob = 'bob@example.test';
const client_id = 'vendor-cloud';

type Json = Readonly<Record<string, unknown>>;

async function post(url: string, form: Readonly<Record<string, string>>): Promise<{ status: number; body: Json }> {
  const response = await fetch(url, { method: 'POST', body: new URLSearchParams(form) });
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Json) };
}

const begin = ({ url }: TeamPlatform) => post(`${url}/oidc/device/auth`, { client_id, scope: 'openid' });

const redeem = ({ url }: TeamPlatform, device_code: unknown) =>
  post(`${url}/oidc/token`, {
    client_id,
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: String(device_code),
  });

const refresh = ({ url }: TeamPlatform, refresh_token: unknown) =>
  post(`${url}/oidc/token`, { client_id, grant_type: 'refresh_token', refresh_token: String(refresh_token) });

describe('signing in with a device code', () => {
  it('gives a token for the API to who enters the code and signs in', async () => {
    const platform = await startTeamPlatform();
    const id = await platform.join(bob);
    const { body } = await begin(platform);
    expect(body).toMatchObject({ verification_uri: `${platform.url}/oidc/device` });
    expect(await redeem(platform, body['device_code'])).toMatchObject({ body: { error: 'authorization_pending' } });
    await approveDevice(platform, body['user_code']);
    const redeemed = await redeem(platform, body['device_code']);
    expect(redeemed).toMatchObject({ status: 200, body: { refresh_token: expect.any(String) } });
    const access = String(redeemed.body['access_token']);
    const made = await platform.call('POST', '/api/tokens', { purpose: 'laptop' }, access);
    expect(made).toMatchObject({ status: 201, body: { project: 'shop', environment: 'development' } });
    const { token } = made.body as { token: string };
    expect(await platform.call('GET', '/api/me', undefined, token)).toMatchObject({
      body: { user: { id, email: bob } },
    });
    expect(await platform.call('GET', '/api/me', undefined, access)).toMatchObject({ status: 401 });
    expect(await platform.call('POST', '/api/tokens', {}, 'nonsense')).toMatchObject({ status: 401 });
    const elsewhere = await platform.call('POST', '/api/tokens', { project: 'market' }, access);
    expect(elsewhere).toMatchObject({ status: 403, detail: expect.stringContaining('not a member') });
    expect(await redeem(platform, body['device_code'])).toMatchObject({ body: { error: 'invalid_grant' } });
  });

  it('gives nothing to who says no, and says so on the page', async () => {
    const platform = await startTeamPlatform();
    const { body } = await begin(platform);
    const page = await (await enterCode(createBrowser(), platform, body['user_code'], { abort: 'yes' })).text();
    expect(page).toContain('You have cancelled');
    expect(await redeem(platform, body['device_code'])).toMatchObject({ body: { error: 'access_denied' } });
  });

  it('gives each of two that are open at once a code of its own, and the one that is approved alone a token', async () => {
    const platform = await startTeamPlatform();
    await platform.join(bob);
    const left = (await begin(platform)).body;
    const begun = (await begin(platform)).body;
    expect(begun['user_code']).not.toBe(left['user_code']);
    expect(begun['device_code']).not.toBe(left['device_code']);
    await approveDevice(platform, begun['user_code']);
    expect(await redeem(platform, left['device_code'])).toMatchObject({ body: { error: 'authorization_pending' } });
    expect(await redeem(platform, begun['device_code'])).toMatchObject({
      status: 200,
      body: { access_token: expect.any(String) },
    });
    // The one that was left can still be ended.
    await approveDevice(platform, left['user_code']);
    expect(await redeem(platform, left['device_code'])).toMatchObject({ status: 200 });
  });

  it('knows the code of a link that holds it, and runs no script for it', async () => {
    const platform = await startTeamPlatform();
    const { body } = await begin(platform);
    const browser = createBrowser();
    const page = await browser.open(String(body['verification_uri_complete']));
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const html = await page.text();
    expect(html).not.toContain('<script');
    const user_code = /name="user_code" value="([^"]*)"/.exec(html)?.[1] ?? '';
    expect(user_code).toBe(body['user_code']);
    const action = /<form id="op.deviceInputForm" method="post" action="([^"]*)"/.exec(html)?.[1] ?? '';
    const confirm = await postForm(browser, action, { xsrf: xsrfOf(html), user_code });
    expect(await confirm.text()).toContain('shows the same code');
  });

  it('refuses a code that nobody was given', async () => {
    const platform = await startTeamPlatform();
    const browser = createBrowser();
    const page = `${platform.url}/oidc/device`;
    const xsrf = xsrfOf(await (await browser.open(page)).text());
    const answer = await postForm(browser, page, { xsrf, user_code: 'BCDF-GHJK' });
    expect(await answer.text()).toMatch(/role="alert" tabindex="-1" autofocus>This is not a code/);
    const forged = await postForm(browser, page, { xsrf: 'f'.repeat(48), user_code: 'BCDF-GHJK' });
    expect(forged.status).toBe(400);
  });

  it('rotates refresh tokens, and ends the whole grant when one is used again', async () => {
    const platform = await startTeamPlatform();
    await platform.join(bob);
    const { body } = await begin(platform);
    await approveDevice(platform, body['user_code']);
    const first = (await redeem(platform, body['device_code'])).body;
    const second = await refresh(platform, first['refresh_token']);
    expect(second.status).toBe(200);
    expect(second.body['refresh_token']).not.toBe(first['refresh_token']);
    expect(await refresh(platform, first['refresh_token'])).toMatchObject({ body: { error: 'invalid_grant' } });
    expect(await refresh(platform, second.body['refresh_token'])).toMatchObject({ body: { error: 'invalid_grant' } });
    const access = String(second.body['access_token']);
    expect(await platform.call('POST', '/api/tokens', {}, access)).toMatchObject({ status: 401 });
    expect(platform.logged).toContainEqual(
      expect.objectContaining({
        message: 'The sign-in refused a request.',
        fields: expect.objectContaining({ client: client_id }),
      }),
    );
  });

  it('revokes a token that is handed back', async () => {
    const platform = await startTeamPlatform();
    await platform.join(bob);
    const { body } = await begin(platform);
    await approveDevice(platform, body['user_code']);
    const { refresh_token } = (await redeem(platform, body['device_code'])).body;
    const revoked = await post(`${platform.url}/oidc/token/revocation`, { client_id, token: String(refresh_token) });
    expect(revoked.status).toBe(200);
    expect(await refresh(platform, refresh_token)).toMatchObject({ body: { error: 'invalid_grant' } });
  });

  it('ends with the person: nobody who is deactivated refreshes a token', async () => {
    const platform = await startTeamPlatform();
    const id = await platform.join(bob);
    const { body } = await begin(platform);
    await approveDevice(platform, body['user_code']);
    const { refresh_token } = (await redeem(platform, body['device_code'])).body;
    await platform.call('PATCH', `/api/people/${id}`, { isActive: false });
    expect(await refresh(platform, refresh_token)).toMatchObject({ body: { error: 'invalid_grant' } });
  });
});

describe('sessions', () => {
  it('say where from, since when and what for, and end one by one or all together', async () => {
    const platform = await startTeamPlatform();
    const id = await platform.join(bob);
    const { body } = await begin(platform);
    await approveDevice(platform, body['user_code']);
    const { access_token, refresh_token } = (await redeem(platform, body['device_code'])).body;
    const made = await platform.call('POST', '/api/tokens', { purpose: 'laptop' }, String(access_token));
    const { token } = made.body as { token: string };
    const list = async (as: string) => {
      const answer = await platform.call('GET', '/api/sessions', undefined, as);
      return sessionListSchema.parse(answer.body).sessions;
    };
    const sessions = await list(token);
    expect(sessions.map(({ kind, purpose }) => `${kind}: ${purpose}`).sort()).toEqual([
      'browser: the platform',
      'command line: vendor-cloud login',
      'token: laptop',
    ]);
    for (const session of sessions) {
      expect(session).toMatchObject({ personId: id, address: '127.0.0.1', createdAt: expect.any(String) });
    }
    expect(sessions.filter(({ isCurrent }) => isCurrent)).toMatchObject([{ kind: 'token' }]);
    const others = await platform.call('GET', `/api/sessions?person=${id}`);
    expect((others.body as { sessions: unknown[] }).sessions).toHaveLength(3);
    const commandLine = sessions.find(({ kind }) => kind === 'command line')?.id;
    const end = (session: string | undefined, as: string) =>
      platform.call('DELETE', `/api/sessions/${session}`, undefined, as);
    expect(await end(commandLine, platform.token)).toMatchObject({ status: 404 });
    expect(await end(commandLine, token)).toMatchObject({ status: 204 });
    expect(await refresh(platform, refresh_token)).toMatchObject({ body: { error: 'invalid_grant' } });
    expect(await list(token)).toHaveLength(2);
    expect(await end('current', token)).toMatchObject({ status: 204 });
    expect(await end('current', token)).toMatchObject({ status: 401 });
    expect(await platform.call('DELETE', `/api/sessions?person=${id}`)).toMatchObject({ status: 204 });
    const left = await platform.call('GET', `/api/sessions?person=${id}`);
    expect(left.body).toEqual({ sessions: [] });
  });
});

describe('the keys of the sign-in', () => {
  async function kidsOf({ url }: TeamPlatform): Promise<string[]> {
    const { keys } = (await (await fetch(`${url}/oidc/jwks`)).json()) as { keys: { kid: string; d?: string }[] };
    expect(keys.every(({ d }) => d === undefined)).toBe(true);
    return keys.map(({ kid }) => kid);
  }

  it('are rotated at once when an administrator says so, and the old one stays published for a day', async () => {
    const time = createManualTime();
    const platform = await startTeamPlatform({ clock: time.clock });
    const [first] = await kidsOf(platform);
    time.pass(1000);
    expect(await platform.call('POST', '/api/sign-in-keys/rotate')).toMatchObject({ status: 204 });
    const both = await kidsOf(platform);
    expect(both).toHaveLength(2);
    expect(both[0]).not.toBe(first);
    expect(both[1]).toBe(first);
    time.pass(24 * 60 * 60_000);
    expect(await kidsOf(platform)).toEqual([both[0]]);
  });

  it('are replaced after 90 days', async () => {
    const time = createManualTime();
    const platform = await startTeamPlatform({ clock: time.clock });
    const [first] = await kidsOf(platform);
    time.pass(89 * 24 * 60 * 60_000);
    expect(await kidsOf(platform)).toEqual([first]);
    time.pass(24 * 60 * 60_000);
    const both = await kidsOf(platform);
    expect([both.length, both[1]]).toEqual([2, first]);
  });
});
