import { describe, expect, it } from 'vitest';
import { authorizationUrl, codeVerifier, registerAgent } from '../helpers/agent-authorization.ts';
import { createBrowser } from '../helpers/browser.ts';
import { postForm, xsrfOf } from '../helpers/device-approval.ts';
import { createManualTime } from '../helpers/manual-time.ts';
import { followAdminLog } from '../helpers/read-admin-log.ts';
import {
  codeAt,
  factorPage,
  formTokenOn,
  openPage,
  sendForm,
  setUpApp,
  signInWithPassword,
} from '../helpers/second-factor.ts';
import { password, startTeamPlatform } from '../helpers/team-platform.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const bob = 'bob@example.test';
const stepMs = 30_000;

const callback = 'https://admin.example.test/service/authentication/callback';

async function startDemanding(options: Parameters<typeof startTeamPlatform>[0] = {}) {
  const time = createManualTime();
  const store = { dialect: 'sqlite', storage: `${await temporaryFolder()}/platform.sqlite` } as const;
  const platform = await startTeamPlatform({ clock: time.clock, store, ...options });
  const rights = { document: { roles: { support: { collections: { '*': { browse: true } } } } }, base: 0 };
  await platform.call('PUT', '/api/rights', { ...rights, allowLockout: true });
  const bobId = await platform.join(bob, { role: 'support' });
  const demand = (needsSecondFactor: boolean) => platform.call('PATCH', '/api/roles/support', { needsSecondFactor });
  return { platform, time, bobId, demand, readLog: await followAdminLog(store) };
}

describe('a role that demands a second factor', () => {
  it('lets its people set one up, give it at each sign-in, and spend each code once', async () => {
    const { platform, time, demand, readLog } = await startDemanding();
    const before = createBrowser();
    expect((await signInWithPassword(before, platform, bob)).html).toContain('How you sign in');
    expect(await demand(true)).toMatchObject({ status: 200, body: { name: 'support', needsSecondFactor: true } });
    // What was signed in without one opens only the page that asks who it is.
    expect((await openPage(before, platform.url + factorPage)).html).toContain('Sign in to the platform');

    const browser = createBrowser();
    const offered = await signInWithPassword(browser, platform, bob);
    expect(offered.html).toContain('Set up a second factor');
    expect(offered.html).toContain('no passkeys here');
    expect((await openPage(browser, platform.url + factorPage)).html).toContain('Sign in to the platform');
    const wrong = await sendForm(browser, offered, { do: 'add', name: 'Phone', code: '000000' });
    expect([wrong.status, wrong.html]).toEqual([401, expect.stringContaining('The code is wrong')]);
    const { secret, shown, codes } = await setUpApp(browser, offered, time.clock.now());
    expect(codes).toHaveLength(10);
    const settings = await sendForm(browser, shown, { do: 'continue' });
    expect(settings.html).toContain('Your role demands it');
    expect(settings.html).toContain('Phone');

    const next = createBrowser();
    const asked = await signInWithPassword(next, platform, bob);
    expect(asked.html).toContain('Your second factor');
    // The code with which the app was set up is spent.
    const code = codeAt(secret, time.clock.now());
    expect((await sendForm(next, asked, { do: 'check', code })).status).toBe(401);
    // Whoever has a factor gives it before they add another one.
    expect((await sendForm(next, asked, { do: 'add', name: 'Other', code })).status).toBe(401);
    time.pass(stepMs);
    const fresh = codeAt(secret, time.clock.now());
    expect((await sendForm(next, asked, { do: 'check', code: fresh })).html).toContain('How you sign in');
    const other = createBrowser();
    const replayed = await signInWithPassword(other, platform, bob);
    expect((await sendForm(other, replayed, { do: 'check', code: fresh })).status).toBe(401);
    const [recovery = ''] = codes;
    const recovered = await sendForm(other, replayed, { do: 'check', recoveryCode: recovery.toUpperCase() });
    expect(recovered.html).toContain('9 are left');
    const third = createBrowser();
    const again = await signInWithPassword(third, platform, bob);
    expect((await sendForm(third, again, { do: 'check', recoveryCode: recovery })).status).toBe(401);

    const logged = (await readLog()).filter(({ resource }) => resource.startsWith('second-factor'));
    expect(logged).toMatchObject([
      { resource: 'second-factor-demand', type: 'add', newValue: { role: 'support', isNeeded: true } },
      { resource: 'second-factor', type: 'add', newValue: { user: { email: bob }, kind: 'totp', name: 'Phone' } },
    ]);
    expect(JSON.stringify(logged)).not.toContain(secret);
  });

  it('lets nobody set one up who knows the password only, when the time for it is over', async () => {
    const { platform, time, demand, bobId, readLog } = await startDemanding();
    await demand(true);
    const early = createBrowser();
    const offered = await signInWithPassword(early, platform, bob);
    expect(offered.html).toContain('Set up a second factor');
    time.pass(7 * 24 * 60 * 60_000);
    const thief = createBrowser();
    const refused = await signInWithPassword(thief, platform, bob);
    expect([refused.status, refused.html]).toEqual([403, expect.stringContaining('Ask an administrator')]);
    expect(refused.html).not.toContain('<code>otpauth');
    const forced = await sendForm(thief, refused, { do: 'add', name: 'Phone', code: '000000' });
    expect([forced.status, forced.html]).toEqual([403, expect.stringContaining('people reset-factors')]);
    expect((await openPage(thief, platform.url + factorPage)).html).toContain('Sign in to the platform');
    // An administrator opens it again, for a day.
    expect(await platform.call('DELETE', `/api/people/${bobId}/factors`)).toMatchObject({ status: 204 });
    const again = await signInWithPassword(createBrowser(), platform, bob);
    expect(again.html).toContain('Set up a second factor');
    time.pass(24 * 60 * 60_000);
    expect((await signInWithPassword(createBrowser(), platform, bob)).html).toContain('Ask an administrator');
    const logged = (await readLog()).filter(({ resource }) => resource === 'second-factor');
    expect(logged).toMatchObject([
      {
        type: 'update',
        newValue: { user: { email: bob }, kind: 'setup', name: expect.stringContaining('open until') },
      },
    ]);
  });

  it('counts wrong codes as wrong passwords, and for no address', async () => {
    const { platform, time, demand } = await startDemanding();
    await demand(true);
    const browser = createBrowser();
    const offered = await signInWithPassword(browser, platform, bob);
    const { secret } = await setUpApp(browser, offered, time.clock.now());
    time.pass(stepMs);
    const asked = await signInWithPassword(createBrowser(), platform, bob);
    expect(asked.html).toContain('Your second factor');
    const guessing = createBrowser();
    const page = await signInWithPassword(guessing, platform, bob);
    for (let guess = 0; guess < 5; guess++) await sendForm(guessing, page, { do: 'check', code: '000000' });
    const right = codeAt(secret, time.clock.now());
    expect((await sendForm(guessing, page, { do: 'check', code: right })).status).toBe(401);
    // A stranger locks nobody out by typing the name of the counter as an address.
    for (let guess = 0; guess < 6; guess++) {
      const stranger = createBrowser();
      const form = await openPage(stranger, platform.url + factorPage);
      await sendForm(stranger, form, { email: 'Second factor of person 2', password: 'wrong' });
    }
    time.pass(3000);
    expect((await sendForm(guessing, page, { do: 'check', code: right })).html).toContain('How you sign in');
  });

  it('holds for the command line: an older token opens nothing, and a new login asks for the factor', async () => {
    const { platform, time, demand, bobId } = await startDemanding();
    const client_id = 'vendor-cloud';
    const post = async (path: string, form: Readonly<Record<string, string>>) =>
      (await (
        await fetch(platform.url + path, { method: 'POST', body: new URLSearchParams(form) })
      ).json()) as Readonly<Record<string, unknown>>;
    const login = async (
      answer: (
        page: Awaited<ReturnType<typeof openPage>>,
        browser: ReturnType<typeof createBrowser>,
      ) => Promise<unknown>,
    ) => {
      const device = await post('/oidc/device/auth', { client_id, scope: 'openid' });
      const browser = createBrowser();
      const page = `${platform.url}/oidc/device`;
      const user_code = String(device['user_code']);
      const xsrf = xsrfOf(await (await browser.open(page)).text());
      const confirm = await (await postForm(browser, page, { xsrf, user_code })).text();
      const signIn = await sendForm(browser, { url: page }, { xsrf: xsrfOf(confirm), user_code, confirm: 'yes' });
      await answer(await sendForm(browser, signIn, { email: bob, password }), browser);
      const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
      const redeemed = await post('/oidc/token', { client_id, grant_type, device_code: String(device['device_code']) });
      const made = await platform.call('POST', '/api/tokens', {}, String(redeemed['access_token']));
      return (made.body as { token: string }).token;
    };
    const plain = await login(async () => undefined);
    expect(await platform.call('GET', '/api/me', undefined, plain)).toMatchObject({ status: 200 });
    await demand(true);
    expect(await platform.call('GET', '/api/me', undefined, plain)).toMatchObject({
      status: 401,
      detail: expect.stringContaining('demands a second factor'),
    });
    expect(await platform.call('GET', '/v1/rate-limit', undefined, plain)).toMatchObject({ status: 401 });
    const token = await login(async (offered, browser) => {
      const { shown } = await setUpApp(browser, offered, time.clock.now());
      expect((await sendForm(browser, shown, { do: 'continue' })).html).toContain('You are signed in');
    });
    expect(await platform.call('GET', '/api/me', undefined, token)).toMatchObject({ body: { user: { id: bobId } } });

    const mine = await platform.call('GET', '/api/me/factors', undefined, token);
    expect(mine).toMatchObject({
      body: { factors: [{ kind: 'totp', name: 'Phone', isUsable: true }], recoveryCodes: 10, isNeeded: true },
    });
    const [{ id } = { id: 0 }] = (mine.body as { factors: { id: number }[] }).factors;
    const path = `/api/me/factors/${id}`;
    expect(await platform.call('PATCH', path, { name: 'Tablet' }, token)).toMatchObject({
      body: { factors: [{ name: 'Tablet' }] },
    });
    expect(await platform.call('DELETE', path, undefined, token)).toMatchObject({
      status: 409,
      detail: expect.stringContaining('"Tablet" is the only second factor'),
    });
    time.pass(11 * 60_000);
    await demand(false);
    expect(await platform.call('DELETE', path, undefined, token)).toMatchObject({
      status: 401,
      detail: expect.stringContaining('more than ten minutes ago'),
    });
    expect(await platform.call('DELETE', `/api/people/${platform.adaId}/factors`)).toMatchObject({ status: 403 });
    expect(await platform.call('DELETE', `/api/people/${bobId}/factors`, undefined, token)).toMatchObject({
      status: 403,
    });
    expect(await platform.call('DELETE', `/api/people/${bobId}/factors`)).toMatchObject({ status: 204 });
    expect(await platform.call('GET', '/api/me', undefined, token)).toMatchObject({ status: 401 });
    expect(await platform.call('GET', `/api/people/${bobId}/factors`)).toMatchObject({
      body: { factors: [], recoveryCodes: 0, isNeeded: false },
    });
  });

  it('is refused for a role that is not there, and for who may not manage people', async () => {
    const { platform } = await startDemanding();
    const body = { needsSecondFactor: true };
    expect(await platform.call('PATCH', '/api/roles/suport', body)).toMatchObject({
      status: 404,
      detail: expect.stringContaining('Did you mean "support"?'),
    });
    expect(await platform.call('PATCH', '/api/roles/support', {})).toMatchObject({ status: 400 });
  });
});

describe('every way of signing in', () => {
  it('leads to an agent after the second factor only, and an older access token is worth nothing', async () => {
    const { platform, time, bobId, demand } = await startDemanding();
    const isBack = (url: string) => url.startsWith(callback);
    const begin = async (browser: ReturnType<typeof createBrowser>) => {
      const page = await openPage(browser, await authorizationUrl(platform, callback));
      return postForm(browser, page.url, { email: bob, password });
    };
    const nextOf = (answer: Response) => new URL(answer.headers.get('location') ?? '', platform.url).href;
    const whoIs = async (code: string | null) => {
      const client_id = await registerAgent(platform, callback);
      const form = { client_id, grant_type: 'authorization_code', redirect_uri: callback, code_verifier: codeVerifier };
      const body = new URLSearchParams({ ...form, code: code ?? '' });
      const redeemed = await fetch(`${platform.url}/oidc/token`, { method: 'POST', body });
      const { access_token: token } = (await redeemed.json()) as { access_token: string };
      return async () => {
        const headers = { 'service-secret-key': platform.envSecret, 'service-token': token };
        return fetch(`${platform.url}/agent/v2/renderings/1/authorization`, { headers });
      };
    };
    const codeOf = (url: string) => new URL(url).searchParams.get('code');

    const before = createBrowser();
    const plain = await whoIs(codeOf((await before.follow(nextOf(await begin(before)), isBack)).url));
    expect((await plain()).status).toBe(200);
    await demand(true);
    expect((await plain()).status).toBe(401);
    expect((await before.follow(await authorizationUrl(platform, callback), isBack)).url).toContain('/sign-in/');

    const browser = createBrowser();
    const offered = await openPage(browser, nextOf(await begin(browser)));
    expect(offered.html).toContain('Set up a second factor');
    const { shown } = await setUpApp(browser, offered, time.clock.now());
    const done = await postForm(browser, shown.url, { do: 'continue' });
    const strong = await whoIs(codeOf((await browser.follow(nextOf(done), isBack)).url));
    expect(await (await strong()).json()).toMatchObject({ data: { id: String(bobId) } });
  });

  it('asks after a one-time link and after a token too', async () => {
    const { platform, time, bobId, demand } = await startDemanding({ hasSignInLinks: true });
    const browser = createBrowser();
    await demand(true);
    const { secret } = await setUpApp(browser, await signInWithPassword(browser, platform, bob), time.clock.now());
    await demand(false);
    time.pass(stepMs);
    const made = await platform.call('POST', '/api/sign-in-links', { person: bobId });
    const link = (made.body as { link: string }).link.split('#')[1] ?? '';
    const linked = createBrowser();
    const page = await openPage(linked, `${platform.url}/sign-in-link`);
    expect((await sendForm(linked, page, { link })).html).toContain('Your second factor');

    const user = { name: 'Bob', email: bob };
    const { userToken } = await platform.sandbox.provisionDevelopment({
      project: 'shop',
      envSecret: platform.envSecret,
      user,
    });
    const byToken = createBrowser();
    const form = await openPage(byToken, platform.url + factorPage);
    // The token says that it was made with a second factor.
    expect((await sendForm(byToken, form, { token: userToken })).html).toContain('How you sign in');
    const other = createBrowser();
    const asked = await signInWithPassword(other, platform, bob);
    const code = codeAt(secret, time.clock.now());
    expect((await sendForm(other, asked, { do: 'check', code })).html).toContain('How you sign in');
  });
});

describe('the page of the second factors', () => {
  it('changes them within ten minutes of a sign-in, by its own forms only', async () => {
    const { platform, time } = await startDemanding();
    const browser = createBrowser();
    const page = await signInWithPassword(browser, platform, bob);
    expect(page.html).toContain('You sign in without a second factor');
    const secret = /<code>([A-Z2-7 ]{39})<\/code>/.exec(page.html)?.[1]?.replaceAll(' ', '') ?? '';
    const add = { do: 'add', name: 'Phone', code: codeAt(secret, time.clock.now()) };
    const foreign = await sendForm(browser, page, { ...add, formToken: 'foreign' });
    expect(foreign).toMatchObject({ status: 403, html: expect.stringContaining('of another sign-in') });
    const added = await sendForm(browser, page, { ...add, formToken: formTokenOn(page) });
    expect(added.html).toContain('Keep these recovery codes');
    const listed = await openPage(browser, platform.url + factorPage);
    const formToken = formTokenOn(listed);
    const id = /name="id" value="(\d+)"/.exec(listed.html)?.[1] ?? '';
    expect((await sendForm(browser, listed, { do: 'rename', id, name: 'Tablet', formToken })).html).toContain('Tablet');
    time.pass(11 * 60_000);
    const late = await openPage(browser, platform.url + factorPage);
    expect(late.html).toContain('Sign in again to add or remove one');
    expect(late.html).not.toContain('Remove Tablet');
    const refused = await sendForm(browser, late, { do: 'remove', id, formToken: formTokenOn(late) });
    expect(refused).toMatchObject({ status: 422, html: expect.stringContaining('more than ten minutes ago') });

    const again = await openPage(browser, `${platform.url}${factorPage}/again`);
    const asked = await sendForm(browser, again, { email: bob, password });
    expect(asked.html).toContain('Your second factor');
    const open = await sendForm(browser, asked, { do: 'check', code: codeAt(secret, time.clock.now()) });
    expect(open.html).toContain('Remove Tablet');
    const removed = await sendForm(browser, open, { do: 'remove', id, formToken: formTokenOn(open) });
    expect(removed.html).toContain('You sign in without a second factor');
  });
});
